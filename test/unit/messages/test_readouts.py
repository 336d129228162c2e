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

"""States in words and figures."""

from dataclasses import replace
from pathlib import Path

from hypothesis import example, given, settings, strategies as st
import numpy as np
import pytest

import mbd_ros
from mbd_ros.messages.states.readouts import (
    by_joint, energies, joint_heads, joint_rows, joint_units, loop_figures, loop_rows, MOST_NAMES,
    MOST_ROWS, near_limits, ranges, SLIDING, TURNING, WIDEST)

URDF = Path(__file__).parents[3] / 'urdf'
ARM = """<robot name="arm"><link name="a"/>{links}
  </robot>"""
LINK = """<link name="l{0}"><inertial><mass value="2"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="j{0}" type="{1}"><parent link="{2}"/><child link="l{0}"/><axis xyz="0 0 1"/>
    {3}</joint>"""


def arm(count=2):
    limit = '<limit lower="-1.5" upper="2" effort="30" velocity="3"/>'
    return mbd_ros.load(ARM.format(links=''.join(
        LINK.format(i, *(('prismatic', 'a', limit) if i == 0 else
                         ('continuous', f'l{i - 1}', ''))) for i in range(count))))


def test_rows_of_joints():
    model = arm()
    rows = joint_rows(model, np.array([0.25, 1.0, 0.0])[:model.nq], np.array([-0.5, 2.0]),
                      np.array([1.0, -2.0]))
    assert rows[0] == ('j0', ('0.2500', '-1.5 to\u00a02'), '-0.500', ('1.00', '30'))
    assert rows[1][1:] == (('1.0000',), '2.000', ('-2.00',))
    still = joint_rows(model, np.zeros(model.nq), np.array([-1e-5, 0.0]), None)
    assert still[0][2:] == ('0.000', ('', '30'))   # and not -0.000
    assert by_joint(model, np.array([3.0, 4.0])) == {'j0': 3.0, 'j1': 4.0}


def test_each_joint_has_the_units_of_its_kind():
    assert joint_units(arm()) == {'j0': SLIDING, 'j1': TURNING}


@pytest.mark.parametrize(('q', 'v', 'effort', 'said'), [
    (0.0, 0.0, None, ''), (1.9, 2.9, 29.0, ''),
    (1.95, 0.0, None, 'j0 (position)'), (-1.45, 0.0, None, 'j0 (position)'),
    (5.0, 0.0, None, 'j0 (position)'), (0.0, -2.99, 0.0, 'j0 (velocity)'),
    (0.0, 9.0, -30.0, 'j0 (velocity, effort)')])
def test_a_joint_near_a_limit_is_named(q, v, effort, said):
    """Within two hundredths of the range, 0.07, from -1.5 and 2; of 3 rad/s and 30 N."""
    model = arm()
    efforts = None if effort is None else np.array([effort, 1e3])   # the second has no limits
    assert near_limits(model, np.array([q, 1.0, 0.0])[:model.nq], np.array([v, 1e3]),
                       efforts) == said


def test_only_some_joints_near_a_limit_are_named():
    model = mbd_ros.load(URDF / 'panda.urdf')
    said = near_limits(model, model.upper.copy(), np.zeros(model.nv), None)
    assert said.count('(position)') == MOST_NAMES
    assert said.endswith(f' and {model.nv - MOST_NAMES} more')


def test_heads_say_the_units_of_the_joints_there_are():
    assert joint_heads(arm())[1:4] == (
        ('position [rad or m]', 'range'), 'velocity [rad/s or m/s]',
        ('effort [N\u00a0m or N]', 'limit'))
    assert joint_heads(mbd_ros.load(URDF / 'puma560.urdf'))[3:] == (
        ('effort [N\u00a0m]', 'limit'),)
    assert joint_heads(arm(1))[1:3] == (('position [m]', 'range'), 'velocity [m/s]')


def test_ranges_are_limits_in_whole_decimals():
    """Rounded inward, so that no place of a slider is beyond a limit; half a turn without any."""
    found = ranges(arm())
    assert found['j0'] == (-1.5, 2.0, 3) and found['j1'] == (-3.141, 3.141, 3)
    puma = ranges(mbd_ros.load(URDF / 'puma560.urdf'))
    assert puma['joint3'] == (-0.785, 3.926, 3)   # 3.927 in the file: beyond half a turn
    assert puma['joint3'].nearest(2.63605) == 2.636
    assert puma['joint3'].nearest(-7.0) == -0.785


LIMITS = st.floats(-1e300, 1e300)


@given(LIMITS | st.floats(-20.0, 20.0), LIMITS | st.floats(-20.0, 20.0) | st.floats(0.0, 1e-300))
@example(5.0, 20.0)
@example(-20.0, -5.0)
@example(13.0, 14.0)
@example(0.0, 1e-310)
@example(-1.7e308, -1.6e308)
@example(76463394749076.0, 76463394749079.0)
@settings(max_examples=200, deadline=None)
def test_ranges_are_within_any_limits(one, other):
    lower, upper = sorted((one, other))
    model = arm(1)
    found = ranges(replace(model, lower=np.array([lower]), upper=np.array([upper])))['j0']
    assert lower <= found.low <= found.high <= upper
    assert found.high - found.low <= 2.0 * WIDEST
    assert lower <= found.nearest(0.0) <= upper


def test_long_tables_are_cut():
    model = arm(MOST_ROWS + 5)
    assert len(joint_rows(model, np.zeros(model.nq), np.zeros(model.nv), None)) == MOST_ROWS


def test_energies_by_their_kind():
    model = arm()
    parts = energies(model, np.array([0.5, 0.0]), np.array([1.0, 0.0]), (0.0, 0.0, -10.0))
    # Two links of 2 kg, raised by 0.5 m and moved at 1 m/s: m v^2 / 2 and m g h.
    assert parts == pytest.approx({'kinetic': 2.0, 'potential': 20.0, 'sum': 22.0})


def test_loops():
    model = mbd_ros.load(URDF / 'four_bar.urdf')
    q, _ = mbd_ros.close_loops(model, np.zeros(model.nq))
    figures = loop_figures(model, q)
    assert figures['mobility'] == '1'
    # The tolerance of close_loops is 1e-10.
    assert float(figures['loops open by [m or 1]']) < 1e-9
    ((name, gap, equations),) = loop_rows(model, q + 0.1)
    assert name == model.loops[0].name and float(gap) > 0.01
    assert figures['loop equations'].startswith(f'{equations}, ')   # there is one loop
    assert figures['loop equations'].endswith(f'rank {model.nv - 1}')
    assert loop_figures(arm(), np.zeros(2)) == {}
