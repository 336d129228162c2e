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

"""Linear modes say where they end: the thresholds of each warning, and what it names."""

import re
import warnings

import flexible_robots
from flexible_robots import fixed, point_mass
import numpy as np
import pytest

import mbd_ros
from mbd_ros.dynamics.quantities.flexible import (
    LARGE_DEFLECTION, LARGE_SLOPE, warn_of_deflection)
from mbd_ros.errors import LargeDeflectionWarning

EI, RHO_A = 29.1667, 0.54   # of a beam of 1 m


def beam(modes, more=''):
    text = flexible_robots.beam(f'bending_stiffness="{EI} {EI}" modes="{modes}" {more}',
                                joint='continuous')
    return mbd_ros.load(text.replace('</robot>', point_mass('load', 0.1) + fixed(
        'mount', 'beam', 'load', (1.0, 0.0, 0.0)) + '</robot>'))


def said(model, q, v):
    """Return the texts of the warnings for states."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        warn_of_deflection(model, np.atleast_2d(q), np.atleast_2d(v))
    assert all(one.category is LargeDeflectionWarning for one in caught)
    return [str(one.message) for one in caught]


@pytest.mark.parametrize('sign', [1.0, -1.0])
def test_a_tip_that_bends_far_or_turns_far(sign):
    model = beam('1 0 0')
    still, unit = np.zeros(2), np.array([0.0, 1.0])
    tip = (mbd_ros.pose(model, 1e-6 * unit, 'load')[:3, 3]
           - mbd_ros.pose(model, 0.0 * unit, 'load')[:3, 3]) / 1e-6
    turn = 1e6 * mbd_ros.pose(model, 1e-6 * unit, 'load')[1, 0]
    bends, turns = LARGE_DEFLECTION / abs(tip[1]), LARGE_SLOPE / abs(turn)
    assert bends != pytest.approx(turns, rel=0.05)   # each is seen alone
    for share in (0.99, 1.01):
        texts = said(model, sign * share * bends * unit, still)
        assert any('bends by' in text for text in texts) == (share > 1.0)
        texts = said(model, sign * share * turns * unit, still)
        assert any('turns' in text for text in texts) == (share > 1.0)
    size = 2.0 * max(bends, turns)
    found = said(model, [0.0 * unit, size * unit], [still, still])
    for text, slope, pattern in zip(found, (tip[1], turn), (
            r"link 'beam' bends by (\S+) of its length in state 1; its linear modes are valid up "
            r'to 0\.1', r"link 'beam' turns 'load' by (\S+) rad in state 1; its linear modes are "
            r'valid up to 0\.2')):
        # three digits
        assert float(re.fullmatch(pattern, text)[1]) == pytest.approx(size * abs(slope), rel=5e-3)


def test_a_beam_that_turns_faster_than_it_bends():
    """Without geometric stiffening; the slowest mode of a bare beam is at 3.516 sqrt(EI / m)."""
    loose, stiff = (mbd_ros.load(flexible_robots.beam(
        f'bending_stiffness="{EI} {EI}" modes="2 0 0" stiffening="{kind}"', joint='continuous'))
        for kind in ('false', 'true'))
    slowest = 3.5160 * np.sqrt(EI / RHO_A)
    for share in (-1.01, -0.99, 0.99, 1.01):
        v = share * slowest * np.eye(3)[0]
        texts = said(loose, np.zeros(3), v)
        assert bool(texts) == (abs(share) > 1.0)
        for text in texts:
            assert text == (
                f"link 'beam' has no geometric stiffening and turns at {abs(v[0]):.3g} rad/s in "
                f'state 0; its linear modes are valid up to {slowest:.3g}')
        assert not said(stiff, np.zeros(3), v)


@pytest.mark.parametrize(('attributes', 'a', 'share', 'turn'), [
    # Clamped-free modes of 1 at the tip, in closed form: its slope, then tips that stay.
    ('modes="2 0 0"', [0.0, 0.09], None, 0.4303),
    ('modes="2 0 0"', [0.1, -0.1], 0.1070, 0.3404),
    # A clamped-clamped mode, 1.588 high, slopes by 3.081 of that; its coordinate has no unit.
    ('modes="3 0 0" boundary="craig_bampton"', [0.0, 0.0, 4.0], 0.1274, 0.3926),
    ('modes="0 0 1" torsional_stiffness="2" torsional_inertia="1e-6"', [0.3], None, 0.3)])
def test_links_that_carry_nothing_bend_too_far_anywhere(attributes, a, share, turn):
    model = mbd_ros.load(flexible_robots.beam(
        f'bending_stiffness="{EI} {EI}" {attributes}').replace('ixx="0.0"', 'ixx="1e-5"'))
    assert len(a) == model.nv
    texts = said(model, a, np.zeros(len(a)))
    for words, size in (('bends by', share), ('turns a section by', turn)):
        found = [text for text in texts if words in text]
        assert len(found) == (size is not None)
        for text in found:   # three digits, at 25 stations
            assert float(text.split(words)[1].split()[0]) == pytest.approx(size, rel=0.01)
    assert not said(model, 0.1 * np.array(a), np.zeros(len(a)))


class Still:
    """Nothing accelerates."""

    def acceleration(self, t, q, v):
        return np.zeros_like(v)

    def correct(self, t, q, v):
        return q, v

    def violation(self, t, q):
        return 0.0


@pytest.mark.parametrize('call', [
    lambda model, q: mbd_ros.simulate(model, q, 0 * q, 0.01),
    lambda model, q: mbd_ros.simulate(model, q, 0 * q, 0.01, method='dop853', rtol=1e-3),
    lambda model, q: mbd_ros.simulate(model, q, 0 * q, 0.01, motion=Still()),
    lambda model, q: mbd_ros.static_deflection(model, q, gravity=(0.0, -200.0, 0.0))])
def test_every_run_says_so_at_the_line_that_called(call):
    with pytest.warns(LargeDeflectionWarning) as told:
        call(beam('1 0 0'), np.array([0.0, 0.15]))
    assert told[0].filename == __file__


def test_no_states_and_no_links_that_bend():
    assert not said(beam('1 0 0'), np.zeros((0, 2)), np.zeros((0, 2)))
    rigid = mbd_ros.load('urdf/puma560.urdf')
    assert not said(rigid, np.ones(6), 1e3 * np.ones(6))
