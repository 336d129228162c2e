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

"""A fluid bends the beams that it is around: added mass and drag on modes, strip by strip."""

from flexible_robots import beam, fixed, slender
import numpy as np
import pytest

import mbd_ros

RHO, LENGTH, RADIUS = 1000.0, 1.0, 0.01
DENSITY = 2700.0 * np.pi * RADIUS ** 2   # of an aluminium rod [kg/m]
ADDED = RHO * np.pi * RADIUS ** 2        # of a circle moving across its axis [kg/m]
EI = 70e9 * np.pi * RADIUS ** 4 / 4.0


def water(more='', turned=ADDED * LENGTH ** 3 / 12.0):
    """Return the fluid around the rod: strips of circles, as theory has them."""
    return (f'<mbd:fluid><origin xyz="0.5 0 0"/><volume value="{np.pi * RADIUS ** 2!r}"/>'
            f'<fluid_added_mass yy="{ADDED!r}" zz="{ADDED!r}" qq="{turned!r}" rr="{turned!r}"/>'
            f'{more}</mbd:fluid>')


def rod(modes='3 0 0', joint='fixed', fluid=None, links=''):
    """Return a cantilever, in water if that is around it."""
    text = beam(f'bending_stiffness="{EI!r} {EI!r}" modes="{modes}"', LENGTH, DENSITY, joint,
                links)
    return text.replace('</mbd:flexible>', '</mbd:flexible>' + (fluid or ''))


def test_wet_frequencies_of_a_cantilever():
    """
    Those in a vacuum by sqrt(1 + m_a / m), of every mode.

    Blevins, Formulas for Natural Frequency and Mode Shape, 1979, chapter 14: for a rod of
    aluminium in water 1 / sqrt(1 + 1000 / 2700) = 0.8542.
    """
    model = mbd_ros.load(rod(fluid=water()))
    dry, wet = (mbd_ros.natural_frequencies(model, np.zeros(3), fluid=fluid).frequencies
                for fluid in (None, mbd_ros.Fluid()))
    first = 1.8751040687 ** 2 * np.sqrt(EI / DENSITY) / (2.0 * np.pi)
    assert dry[0] == pytest.approx(first, rel=1e-9)
    ratio = 1.0 / np.sqrt(1.0 + ADDED / DENSITY)
    assert ratio == pytest.approx(0.8542, abs=1e-4)
    np.testing.assert_allclose(wet / dry, ratio, rtol=1e-5)   # of nine strips
    assert not any('undeformed' in one.message for one in model.findings)


def test_added_mass_of_a_heavy_tip():
    """The same by strips written out as links that are fixed to the beam."""
    nodes, weights = np.polynomial.legendre.leggauss(9)
    links = ''
    for k, (x, w) in enumerate(zip((0.5 * (1.0 + nodes)).tolist(), (0.5 * weights).tolist())):
        inside = (f'<mbd:fluid><volume value="{w * np.pi * RADIUS ** 2!r}"/><fluid_added_mass '
                  f'yy="{w * ADDED!r}" zz="{w * ADDED!r}"/><quadratic_drag force="0 {3 * w!r} '
                  f'{3 * w!r}" moment="0 0 0"/></mbd:fluid>')
        links += f'<link name="p{k}">{inside}</link>' + fixed(f'f{k}', 'beam', f'p{k}', (x, 0, 0))
    tip = f'<link name="end">{slender(0.1, 1.0, 0.01)}</link>' + fixed(
        'tip', 'beam', 'end', (1.0, 0.0, 0.0))
    by_hand = mbd_ros.load(rod('2 3 0', 'continuous', links=links + tip))
    one = mbd_ros.load(rod('2 3 0', 'continuous', water(
        '<quadratic_drag force="0 3 3" moment="0 0 0"/>'), tip))
    rng = np.random.default_rng(0)
    q, v, vdot = 0.02 * rng.normal(size=6), rng.normal(size=6), rng.normal(size=6)
    sea = mbd_ros.Fluid(current=(0.5, 0.2, -0.1))
    np.testing.assert_allclose(mbd_ros.inverse_dynamics(one, q, v, vdot, fluid=sea),
                               mbd_ros.inverse_dynamics(by_hand, q, v, vdot, fluid=sea),
                               rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize('center', [0.4, 0.5, 0.55])
def test_as_a_whole_while_nothing_bends(center):
    """Mass, weight, and drag that is linear are those of the link as a rigid one."""
    fluid = water('<linear_drag force="1 2 3" moment="0.1 0.5 0.6"/>', 0.5).replace(
        'xyz="0.5 0 0"', f'xyz="{center} 0.01 0.02" rpy="0.3 0 0"')
    text = rod('1 1 1', 'fixed', fluid).replace(
        'modes="1 1 1"', 'torsional_stiffness="10" torsional_inertia="1e-4" modes="1 1 1"')
    text = text.replace('<joint name="root" type="fixed">', '<joint name="root" type="floating">')
    text = text.replace(slender(LENGTH, DENSITY), slender(LENGTH, DENSITY, 0.05))
    bends, stiff = mbd_ros.load(text), mbd_ros.load(text, flexible=False)
    rng = np.random.default_rng(1)
    q, v = mbd_ros.random_configuration(stiff, rng), rng.normal(size=6)
    state = np.append(q, np.zeros(3)), np.append(v, np.zeros(3))
    np.testing.assert_allclose(mbd_ros.mass_matrix(bends, state[0])[:6, :6],
                               mbd_ros.mass_matrix(stiff, q), atol=1e-10)
    np.testing.assert_allclose(mbd_ros.bias_forces(bends, *state)[:6],
                               mbd_ros.bias_forces(stiff, q, v), atol=1e-9)


def test_less_than_strips_make_stays_positive():
    """Without rotational added mass beside a lateral one that of the strips counts."""
    model = mbd_ros.load(rod('2 1 0', 'continuous', water(turned=0.0)))
    assert np.linalg.eigvalsh(mbd_ros.mass_matrix(model, np.zeros(4)))[0] > 0.0


@pytest.mark.parametrize('fluid', [water().replace('0.5 0 0', '0.9 0 0')])
def test_what_is_not_spread_is_told(fluid):
    """A centre of buoyancy near an end is no strips; as before, with the finding."""
    assert any('undeformed' in one.message for one in mbd_ros.load(rod(fluid=fluid)).findings)
