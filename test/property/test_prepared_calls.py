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

"""Whatever is handed to a prepared callable, it gives the right answer or one clear message."""

from pathlib import Path
import sys
import threading

import numpy as np
import pytest
from robots import model_of, random_state

import mbd_ros
from mbd_ros.errors import InvalidValueError, MbdError, NotFiniteError, ShapeError
from mbd_ros.model.state import neutral

ROOT = Path(__file__).resolve().parents[2]
FOUR_BAR = str(ROOT / 'urdf' / 'four_bar.urdf')
MODELS = {
    'arm': (lambda: mbd_ros.load(str(ROOT / 'urdf' / 'three_link_arm.urdf')), None),
    'all joints': (lambda: model_of([0, 1, 2, 1, 4, 1], [
        'floating', 'spherical', 'revolute', 'planar', 'prismatic', 'revolute'], 9), 'rolled'),
    'loop': (lambda: mbd_ros.load(FOUR_BAR), None),
    'floating loop': (lambda: mbd_ros.load(FOUR_BAR, floating_base=True), 'rolled')}
INPUTS = {
    'forward_dynamics': ('q', 'v', 'tau'), 'inverse_dynamics': ('q', 'v', 'qdd'),
    'bias_forces': ('q', 'v'), 'mass_matrix': ('q',), 'energies': ('q', 'v'),
    'body_poses': ('q',), 'body_velocities': ('q', 'v'),
    'forward_dynamics_derivatives': ('q', 'v', 'tau'),
    'inverse_dynamics_derivatives': ('q', 'v', 'qdd')}
OF_LOOPS = {'position_correction': ('q', 'v'), 'velocity_correction': ('q', 'v'),
            'loop_reactions': ('q', 'v', 'tau'), 'loop_rows': ('q', 'v')}
OF_LINKS = {'jacobian': ('q',), 'pose': ('q',)}


class Prepared:
    """A model, its callables with their inputs, and a state that satisfies its loops."""

    def __init__(self, name):
        make, executor = MODELS[name]
        self.model = model = make()
        dyn = mbd_ros.compile(model, executor=executor)
        q, v, tau = random_state(model, 1)
        if model.loops:
            q, v = mbd_ros.close_loops(model, neutral(model), 0.3 * v)
        self.state = {'q': q, 'v': v, 'tau': tau, 'qdd': tau}
        self.inputs = {**INPUTS, **(OF_LOOPS if model.loops else {}), **OF_LINKS}
        link = list(model.links)[-1]
        self.calls = {name: getattr(dyn, name) for name in self.inputs if name not in OF_LINKS}
        self.calls['jacobian'] = lambda q, **more: dyn.jacobian(q, link, **more)
        self.calls['pose'] = lambda q, **more: dyn.pose(q, link, **more)

    def arguments(self, name):
        """Return the inputs of a callable."""
        return [self.state[part] for part in self.inputs[name]]

    def __call__(self, name, *arguments, **named):
        """Return what a callable gives, as one array."""
        found = self.calls[name](*arguments, **named)
        return np.stack(found, axis=-3) if isinstance(found, tuple) else found


@pytest.fixture(scope='module', params=MODELS)
def prepared(request):
    return Prepared(request.param)


def read_only(x):
    x = x.copy()
    x.setflags(write=False)
    return x


LAYOUTS = {
    'list': np.ndarray.tolist, 'tuple': tuple, 'every other': lambda x: np.repeat(x, 2)[::2],
    'backwards': lambda x: x[::-1].copy()[::-1], 'big endian': lambda x: x.astype('>f8'),
    'extended': lambda x: x.astype(np.longdouble), 'read-only': read_only,
    'masked nowhere': np.ma.array, 'a column of a matrix': lambda x: np.outer(x, [1.0, 2.0])[:, 0]}
NARROW = {'float32': np.float32, 'float16': np.float16, 'int': np.int64, 'int8': np.int8}


def test_any_layout_gets_the_same_bits(prepared):
    for name in prepared.calls:
        arguments = prepared.arguments(name)
        expected = prepared(name, *arguments)
        for layout, change in LAYOUTS.items():
            np.testing.assert_array_equal(prepared(name, *map(change, arguments)), expected,
                                          f'{name}, {layout}')


def test_narrow_numbers_are_converted(prepared):
    for name in prepared.calls:
        if name == 'loop_reactions' or (prepared.model.loops and 'forward' in name):
            continue   # rounded states are off the loops, where ranks may be in doubt
        for kind, narrow in NARROW.items():
            given = [(2.0 * x if 'int' in kind else x).astype(narrow)
                     for x in prepared.arguments(name)]
            if 'int' in kind:
                given[0] = neutral(prepared.model).astype(narrow)
            wide = [x.astype(float) for x in given]
            np.testing.assert_array_equal(prepared(name, *given), prepared(name, *wide),
                                          f'{name}, {kind}')


def test_batches_are_their_states(prepared):
    for name in prepared.calls:
        arguments = prepared.arguments(name)
        one = prepared(name, *arguments)
        for count in (0, 1, 3, 11):
            many = prepared(name, *(np.tile(x, (count, 1)) for x in arguments))
            assert many.shape == (count, *one.shape), name
            # Lanes round differently; the condition of these mass matrices is below 1e4.
            np.testing.assert_allclose(many, np.broadcast_to(one, many.shape), rtol=0.0,
                                       atol=1e-10 * max(1.0, np.abs(one).max()), err_msg=name)
        # What is given once holds for all states.
        assert prepared(name, arguments[0][None], *arguments[1:]).shape == (1, *one.shape)


def test_results_are_put_where_they_are_wanted(prepared):
    for name in prepared.calls:
        arguments = prepared.arguments(name)
        expected = prepared(name, *arguments)
        out = np.full(expected.shape, np.nan)
        prepared(name, *arguments, out=out)
        np.testing.assert_array_equal(out, expected, name)
        with pytest.raises(ShapeError, match=r'out has shape \(2, 2, 2\); allowed: '):
            prepared(name, *arguments, out=np.empty((2, 2, 2)))
        with pytest.raises(InvalidValueError, match=r'out is .a read-only array'):
            prepared(name, *arguments, out=read_only(out))


def ragged(x):
    return [x.tolist(), x.tolist()[:-1]]


def with_entry(entry, value):
    def change(x):
        x = x.astype(complex) if isinstance(value, complex) else x.copy()
        x[entry] = value
        return x
    return change


WRONG = [
    (lambda x: x[:-1], ShapeError, 'has shape'),
    (lambda x: x[None, None], ShapeError, 'has shape'),
    (lambda x: x[:, None], ShapeError, 'has shape'), (lambda x: x[:0], ShapeError, 'has shape'),
    (lambda x: 1.0, ShapeError, r'has shape \(\)'),
    (with_entry(0, 1j), InvalidValueError, 'allowed: .* real numbers'),
    (lambda x: x.astype(str), InvalidValueError, 'allowed: .* real numbers'),
    (lambda x: x.astype('datetime64[s]'), InvalidValueError, 'allowed: .* real numbers'),
    (lambda x: [None, *x[1:]], InvalidValueError, 'allowed: .* real numbers'),
    (lambda x: None, InvalidValueError, 'is None; allowed: .* real numbers'),
    (lambda x: {}, InvalidValueError, r'is \{\}; allowed: .* real numbers'),
    (ragged, InvalidValueError, 'allowed: .* real numbers'),
    (lambda x: np.ma.array(x, mask=[True] + [False] * (len(x) - 1)), InvalidValueError, 'masked'),
    (with_entry(-1, np.nan), NotFiniteError, 'is nan; allowed: finite'),
    (with_entry(0, np.inf), NotFiniteError, 'is inf; allowed: finite'),
    (lambda x: np.array([with_entry(-1, -np.inf)(x)] * 2), NotFiniteError, 'state 0')]


def test_wrong_arguments_are_named(prepared):
    for name in prepared.calls:
        arguments = prepared.arguments(name)
        for place, argument in enumerate(prepared.inputs[name]):
            for change, error, message in WRONG:
                given = list(arguments)
                given[place] = change(arguments[place])
                with pytest.raises(error, match=rf'^{argument}\b.*{message}') as caught:
                    prepared(name, *given)
                assert len(str(caught.value)) < 500
                assert '\n' not in str(caught.value)


def test_wrong_counts_and_names(prepared):
    for name in prepared.calls:
        arguments = prepared.arguments(name)
        for place, argument in enumerate(prepared.inputs[name][1:], 1):
            many = [np.tile(x, (3 if k == place else 2, 1)) for k, x in enumerate(arguments)]
            if place == 1:
                many = many[:2] + arguments[2:]
            with pytest.raises(ShapeError, match=f'^{argument} has shape .*; allowed: 2 states'):
                prepared(name, *many)
        if name not in OF_LINKS:
            takes = f'{", ".join(prepared.inputs[name])}; got'
            for given, named in ((arguments[:-1], {}), ([*arguments, 1.0], {}),
                                 (arguments, {'velocity': 1.0}), (arguments, {'q': 1.0})):
                with pytest.raises(TypeError, match=f'takes {takes} {len(given)} arguments'):
                    prepared(name, *given, **named)


@pytest.mark.parametrize('name', ['all joints', 'floating loop'])
def test_a_rotation_of_length_zero_is_refused_where_it_matters(name):
    prepared = Prepared(name)
    for call in ('forward_dynamics', 'forward_dynamics_derivatives', 'body_poses'):
        arguments = prepared.arguments(call)
        with pytest.raises(MbdError, match='of length 1'):
            prepared(call, np.zeros_like(arguments[0]), *arguments[1:])


def test_threads_may_share_all_of_it(prepared):
    # Each thread asks for other states, so that a shared intermediate result would show.
    rng = np.random.default_rng(0)
    cases = []
    for name in prepared.calls:
        for k in range(3):
            arguments = prepared.arguments(name)
            arguments[1:] = [x * (1.0 + k) for x in arguments[1:]]
            batch = [np.tile(x, (1 + 8 * k, 1)) for x in arguments]
            for given in (arguments, batch):
                cases.append((name, given, prepared(name, *given)))
    wrong = []

    def work(order):
        for number in order:
            name, given, expected = cases[number]
            found = prepared(name, *given)
            if not np.array_equal(found, expected):
                wrong.append(name)

    threads = [threading.Thread(target=work, args=(np.tile(rng.permutation(len(cases)), 4),))
               for _ in range(4)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120.0)
    finally:
        sys.setswitchinterval(interval)
    assert not any(thread.is_alive() for thread in threads)
    assert not wrong
