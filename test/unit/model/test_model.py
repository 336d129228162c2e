# Copyright 2026 The authors of mbd_ros
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
# in compliance with the License. You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software distributed under the License
# is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
# or implied. See the License for the specific language governing permissions and limitations under
# the License.

"""A model is frozen, also after a journey to another process."""

import dataclasses
from pathlib import Path
import pickle
import weakref

import numpy as np
import pytest
from robots import chain

from mbd_ros.errors import InvalidValueError, UnknownNameError
from mbd_ros.model import load, Model

LADDER = Path(__file__).resolve().parents[2] / 'data' / 'ladder'


@pytest.fixture
def model() -> Model:
    """Return a small model."""
    return load(LADDER / '05_fixed_links.urdf')


def arrays(model: Model) -> dict[str, np.ndarray]:
    """Return every array of a model."""
    found = {field.name: getattr(model, field.name) for field in dataclasses.fields(model)
             if isinstance(getattr(model, field.name), np.ndarray)}
    for name, frame in model.links.items():
        found |= {f'{name} rotation': frame.rotation, f'{name} translation': frame.translation}
    return found


def test_all_arrays_are_frozen_contiguous_doubles(model):
    for name, array in arrays(model).items():
        assert array.dtype == np.float64, name
        assert array.flags.c_contiguous, name
        assert not array.flags.writeable, name


def test_nothing_else_can_be_changed(model):
    with pytest.raises(AttributeError):
        model.name = 'other'
    with pytest.raises(TypeError):
        model.links['arm'] = model.links['hand']


def test_a_pickled_model_is_the_same_and_frozen(model):
    copy = pickle.loads(pickle.dumps(model))
    assert copy.joint_names == model.joint_names
    assert copy.mechanism == model.mechanism
    for name, array in arrays(copy).items():
        assert not array.flags.writeable, name
        assert array.tolist() == arrays(model)[name].tolist()


def test_a_new_generation_shares_the_arrays(model):
    newer = dataclasses.replace(model, generation=2)
    assert (model.generation, newer.generation) == (1, 2)
    assert newer.masses is model.masses


def test_models_are_compared_by_content(model):
    other = load(LADDER / '05_fixed_links.urdf')
    assert other is not model
    assert other == model and hash(other) == hash(model)
    assert pickle.loads(pickle.dumps(model)) == model
    assert model != 'fixed_links'


@pytest.mark.parametrize('change', [
    lambda model: {'masses': 2.0 * model.masses}, lambda model: {'lower': model.lower - 0.1},
    lambda model: {'generation': 2}, lambda model: {'joint_names': ('a', 'b')},
    lambda model: {'mechanism': dataclasses.replace(model.mechanism, name='other')},
    lambda model: {'links': {**model.links, 'lens': model.links['stand']}},
    lambda model: {'loops': load(LADDER.parents[2] / 'urdf' / 'four_bar.urdf').loops}],
    ids=['masses', 'limits', 'generation', 'names', 'records', 'links', 'loops'])
def test_what_differs_is_not_equal(model, change):
    assert dataclasses.replace(model, **change(model)) != model


def test_loops_are_compared_by_content():
    file = LADDER.parents[2] / 'urdf' / 'four_bar.urdf'
    assert load(file) == load(file)


def test_models_can_be_cached_weakly(model):
    other = dataclasses.replace(model, generation=2)
    cache = weakref.WeakKeyDictionary({model: 'compiled', other: 'too'})
    del other
    assert dict(cache) == {model: 'compiled'}


def test_a_notebook_shows_the_tree_as_text(model):
    shown = dataclasses.replace(model, name='<script>')._repr_html_()
    assert '&lt;script&gt;' in shown and '<script>' not in shown
    for name in model.links:
        assert name in shown


def test_links_and_joints_by_name(model):
    assert model.link('camera').body == 0
    assert model.joint_index('wrist') == 1
    with pytest.raises(UnknownNameError) as caught:
        model.link('camra')
    assert str(caught.value) == (
        "there is no link named 'camra'; known: ground, stand, arm, weight, camera, lens, hand; "
        "did you mean 'camera'?")
    with pytest.raises(UnknownNameError) as caught:
        model.joint_index('clamp')
    assert str(caught.value).startswith("there is no joint named 'clamp'; known: shoulder, wrist")


@pytest.mark.parametrize(('given', 'message'), [
    ({'floating_base': 'no'}, "floating_base is 'no'; allowed: True or False"),
    ({'mimic': 1}, 'mimic is 1; allowed: True or False'),
    ({'inertia': 'none'}, "inertia is 'none'; allowed: 'checked' or 'unchecked' or 'from_shapes'"),
    ({'path_or_text': ''}, "path_or_text is ''; allowed: the path of a file, or XML text")])
def test_arguments_that_do_not_fit(given, message):
    with pytest.raises(InvalidValueError) as caught:
        load(**{'path_or_text': LADDER / '04_generic_axis.urdf', **given})
    assert str(caught.value) == message


@pytest.mark.parametrize('name', [3, None, ['tool']])
def test_links_are_asked_for_by_name(name):
    with pytest.raises(UnknownNameError, match=r"there is no link named '.*'; known: "):
        load(LADDER / '04_generic_axis.urdf').link(name)


def test_print_is_a_summary(model):
    assert repr(model).startswith(f'<Model {model.name!r}: ') and '\n' not in repr(model)
    lines = str(model).splitlines()
    assert lines[0] == repr(model) and len(lines) == 1 + model.nb
    assert all(name in line for name, line in zip(model.joint_names, lines[1:]))


def test_print_of_a_long_robot_is_short():
    shown = str(load(chain(60, 1))).splitlines()
    assert len(shown) == 42 and shown[-1] == '  and 20 more'
