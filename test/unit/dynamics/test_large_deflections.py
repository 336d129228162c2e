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


def test_no_states_and_no_links_that_bend():
    assert not said(beam('1 0 0'), np.zeros((0, 2)), np.zeros((0, 2)))
    rigid = mbd_ros.load('urdf/puma560.urdf')
    assert not said(rigid, np.ones(6), 1e3 * np.ones(6))
