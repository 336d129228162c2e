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

"""Code found on disk without tracing it again, and only where nothing has changed."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from robots import chain, model_of, random_state

import mbd_ros
from mbd_ros.control.udwadia_kalaba.small_systems import least_step, shortest_step
from mbd_ros.dynamics.algorithms.forward_dynamics import FORWARD_DYNAMICS
from mbd_ros.dynamics.algorithms.rnea import INVERSE_DYNAMICS
from mbd_ros.dynamics.quantities.kinematics import link_pose
from mbd_ros.execution.executors import compiled
from mbd_ros.execution.executors.compiled import CompiledKernel
from mbd_ros.execution.ir import machine_code, origin
from mbd_ros.execution.ir.origin import kept, origin_of, origin_of_function
from mbd_ros.execution.program.sweeps import Outward, Program
from mbd_ros.execution.unrolled import code as unrolled
from mbd_ros.spatial import IDENTITY, Link, Vector3


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv('MBD_ROS_CACHE', str(tmp_path))
    return tmp_path


@pytest.fixture(scope='module')
def model():
    return mbd_ros.load(chain(4, 1))


def test_a_second_kernel_is_not_traced(folder, model, monkeypatch):
    first = CompiledKernel(FORWARD_DYNAMICS, model, False)
    monkeypatch.setattr(compiled, 'unrolled_ir', lambda *_: pytest.fail('traced again'))
    second = CompiledKernel(FORWARD_DYNAMICS, model, False)
    states = [np.array(part)[None] for part in random_state(model, 1)]
    found = [np.empty((1, model.nv)) for _ in range(2)]
    for kernel, out in zip((first, second), found):
        assert kernel.run(states, np.array([0.0, 0.0, -9.81]), out)
    np.testing.assert_array_equal(*found)


def test_edited_sources_compile_only_texts_that_change(folder, model, monkeypatch):
    CompiledKernel(FORWARD_DYNAMICS, model, False)
    monkeypatch.setattr(origin, '_sources', lambda rooms: 'edited')
    texts = []
    with monkeypatch.context() as patched:
        patched.setattr(machine_code, '_compiled', lambda *_: pytest.fail('compiled again'))
        patched.setattr(compiled, 'unrolled_ir', lambda *more, write=compiled.unrolled_ir:
                        texts.append(write(*more)) or texts[-1])
        CompiledKernel(FORWARD_DYNAMICS, model, False)
        CompiledKernel(FORWARD_DYNAMICS, model, False)
    assert len(texts) == 1   # known by its sources from then on
    monkeypatch.setattr(machine_code, '_compiled', refuse)
    with pytest.raises(OSError, match='compiled'):
        CompiledKernel(INVERSE_DYNAMICS, model, False)


def refuse(*_):
    raise OSError('compiled')


def test_bundles_are_weighed_once(folder, monkeypatch):
    legs = model_of([0, 1, 2, 1, 4], ['floating', *['revolute'] * 4], 2)
    first = unrolled.bundles_that_pay.__wrapped__(FORWARD_DYNAMICS, legs)
    monkeypatch.setattr(unrolled, 'trace_program', lambda *_: pytest.fail('traced again'))
    assert unrolled.bundles_that_pay.__wrapped__(FORWARD_DYNAMICS, legs) == first


@pytest.mark.parametrize('name', [
    'rotations', 'translations', 'masses', 'mass_centers', 'inertias', 'armature', 'damping',
    'friction'])
def test_another_robot_has_another_origin(folder, model, name):
    changed = getattr(model, name).copy()
    changed.flat[0] = np.nextafter(changed.flat[0], 9.0)
    other = replace(model, **{name: changed})
    assert origin_of(FORWARD_DYNAMICS, other) != origin_of(FORWARD_DYNAMICS, model)


def test_frames_of_links_are_part_of_the_origin(folder, model):
    """Wrenches of joints are in their axes."""
    name = model.body_names[0]
    frame = model.links[name]._replace(rotation=model.links[name].rotation[::-1].copy())
    other = replace(model, links={**model.links, name: frame})
    assert origin_of(FORWARD_DYNAMICS, other) != origin_of(FORWARD_DYNAMICS, model)


def test_what_does_not_enter_the_code_does_not_count(folder, model):
    other = replace(model, name='another', upper=model.upper + 1.0, generation=7)
    assert origin_of(FORWARD_DYNAMICS, other) == origin_of(FORWARD_DYNAMICS, model)


def test_programs_differ_by_all_they_hold(folder, model):
    frames = [Link(IDENTITY, Vector3(0.0, 0.0, z)) for z in (0.0, 0.1)]
    programs = [FORWARD_DYNAMICS, INVERSE_DYNAMICS, *(link_pose(1, frame) for frame in frames)]
    assert len({origin_of(program, model) for program in programs}) == 4
    assert None not in {origin_of(program, model) for program in programs}
    assert origin_of(link_pose(1, frames[0]), model) == origin_of(programs[2], model)


def step(body, joint, handed):
    return handed


def test_functions_from_elsewhere_have_no_origin(folder, model):
    start = FORWARD_DYNAMICS.sweeps[0].start
    for function in (step, partial(step), lambda body, joint, handed: handed):
        assert origin_of(Program('mine', ('q',), (Outward(function, start),)), model) is None


def test_changed_sources_change_the_origin(folder, model, monkeypatch):
    before = origin_of(FORWARD_DYNAMICS, model)
    monkeypatch.setattr(origin, '_sources', lambda rooms: 'edited')
    assert origin_of(FORWARD_DYNAMICS, model) != before


def test_plain_functions_of_the_package_have_an_origin_of_their_own(folder, monkeypatch):
    """By the function, its sizes, and all source text; not those from elsewhere."""
    found = {origin_of_function(function, *sizes) for function in (shortest_step, least_step)
             for sizes in ((), (3, 4), (4, 3))}
    assert len(found) == 6 and None not in found
    monkeypatch.setattr(origin, '_sources', lambda rooms: 'edited')
    assert origin_of_function(least_step) not in found
    assert origin_of_function(step) is None


def test_without_a_folder_nothing_is_kept(monkeypatch, model):
    monkeypatch.setenv('MBD_ROS_CACHE', 'off')
    assert origin_of(FORWARD_DYNAMICS, model) is None
    assert [kept(None, lambda: b'made') for _ in range(2)] == [b'made'] * 2
