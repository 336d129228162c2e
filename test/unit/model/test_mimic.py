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

"""Mimic joints that are coupled: rows of joint coordinates among those of loops."""

from described import joint, LIMIT, link, robot
import numpy as np
import pytest

import mbd_ros
from mbd_ros.dynamics.functions.constrained import row_names
from mbd_ros.errors import DescriptionError

MOVES = {'lead': '<axis xyz="0 1 0"/>', 'slide': f'<axis xyz="1 2 0"/>{LIMIT}',
         'turn': '<axis xyz="1 0 1"/>', 'follow': '<axis xyz="0 0 1"/>',
         'finger': f'<axis xyz="0 1 1"/>{LIMIT}'}
PARENTS = {'lead': 'base', 'slide': 'lead', 'turn': 'slide', 'follow': 'turn', 'finger': 'base'}
KINDS = {'slide': 'prismatic', 'finger': 'prismatic'}


def arm(**mimics: str) -> str:
    """Return a branched robot, some joints of which follow others."""
    parts = [link('base')] + [link(name, 1.0 + k, moments=(0.3 + k, 0.4 + k, 0.5 + k))
                              for k, name in enumerate(MOVES)]
    for name, inside in MOVES.items():
        follows = f'<mimic {mimics[name]}/>' if name in mimics else ''
        parts.append(joint(f'j_{name}', KINDS.get(name, 'continuous'), PARENTS[name], name,
                           f'<origin xyz="0.3 0.1 0.2" rpy="0.4 0.5 0.6"/>{inside}{follows}'))
    return robot(*parts)


COUPLED = arm(follow='joint="j_lead" multiplier="-2" offset="0.3"',
              finger='joint="j_turn" multiplier="0.5"', slide='joint="j_finger" multiplier="3"')
"""A joint on the branch that it follows, and one that follows a joint which follows another."""


@pytest.fixture(scope='module')
def model() -> mbd_ros.Model:
    """Return the coupled robot."""
    return mbd_ros.load(COUPLED, mimic=True)


def motions(model: mbd_ros.Model) -> tuple[np.ndarray, np.ndarray]:
    """Return G (nv, 2) and g of ``q = G y + g``, y the coordinates of j_lead and j_turn."""
    rows = {'j_lead': (1.0, 0.0, 0.0), 'j_turn': (0.0, 1.0, 0.0), 'j_follow': (-2.0, 0.0, 0.3),
            'j_finger': (0.0, 0.5, 0.0), 'j_slide': (0.0, 1.5, 0.0)}
    table = np.array([rows[name] for name in model.joint_names])
    return table[:, :2], table[:, 2]


@pytest.mark.parametrize('executor', ['interpreted', 'unrolled', 'rolled', 'lanes'])
def test_accelerations_are_those_of_the_independent_joints(model, executor):
    """G^T M G ydd = G^T (tau - h), solved by NumPy with the tree's own matrices."""
    G, g = motions(model)
    rng = np.random.default_rng(3)
    for _ in range(3):
        y, yd, tau = rng.normal(size=2), rng.normal(size=2), rng.normal(size=5)
        q, v = G @ y + g, G @ yd
        M = mbd_ros.mass_matrix(model, q, executor='interpreted')
        h = mbd_ros.bias_forces(model, q, v, executor='interpreted')
        expected = G @ np.linalg.solve(G.T @ M @ G, G.T @ (tau - h))
        found = mbd_ros.forward_dynamics(model, q, v, tau, executor=executor)
        # Condition of M below 1e3, a few hundred roundings.
        np.testing.assert_allclose(found, expected, atol=1e-11 * np.abs(expected).max())


def test_rows(model):
    assert row_names(model) == ('j_finger.coupling', 'j_slide.coupling', 'j_follow.coupling')
    G, g = motions(model)
    rng = np.random.default_rng(4)
    q, v, tau = rng.normal(size=5), rng.normal(size=5), rng.normal(size=5)
    dyn = mbd_ros.compile(model)
    rows = dyn.loop_rows(q, v)
    A = rows[:, 3:]
    assert not (A @ G).any()
    np.testing.assert_allclose(rows[:, 0], A @ (q - g), atol=1e-15)
    np.testing.assert_allclose(rows[:, 1], A @ v, atol=1e-15)
    assert not rows[:, 2].any()
    solution = mbd_ros.constrained_dynamics(model, G @ q[:2] + g, G @ v[:2], tau)
    assert (solution.rank, solution.redundant) == (3, ())
    # The multipliers are efforts: M vdot + h = tau + A^T lambda.
    efforts = mbd_ros.inverse_dynamics(model, G @ q[:2] + g, G @ v[:2], solution.accelerations)
    np.testing.assert_allclose(efforts, tau + A.T @ solution.multipliers, atol=1e-11)


def test_a_state_is_closed_and_stays_so(model):
    G, g = motions(model)
    q, v = mbd_ros.close_loops(model, np.full(5, 0.2), np.full(5, 0.1))
    y = [q[model.joint_index(name)] for name in ('j_lead', 'j_turn')]
    np.testing.assert_allclose(q, G @ y + g, atol=1e-12)
    out = mbd_ros.simulate(model, q, v, 0.1)
    y = out.q[-1][[model.joint_index(name) for name in ('j_lead', 'j_turn')]]
    np.testing.assert_allclose(out.q[-1], G @ y + g, atol=1e-10)   # what projection leaves
    assert not np.allclose(out.q[-1], q, atol=1e-3)


@pytest.mark.parametrize(('mimic', 'message'), [
    ('joint="j_lad"', "cannot mimic 'j_lad'; allowed: revolute, continuous and prismatic joints; "
     "did you mean 'j_lead'?"),
    ('joint="j_slide"', "cannot mimic 'j_slide'; allowed: revolute, continuous and prismatic "
     'joints'),
])
def test_what_cannot_be_mimicked(mimic, message):
    with pytest.raises(DescriptionError) as caught:
        mbd_ros.load(arm(slide=mimic), mimic=True)
    assert caught.value.what.startswith(f"joint 'j_slide' of type prismatic {message}")


def test_without_coupling_nothing_changes():
    assert mbd_ros.load(COUPLED).loops == ()
    assert not [f for f in mbd_ros.load(COUPLED, mimic=True).findings if 'mimics' in f.message]
