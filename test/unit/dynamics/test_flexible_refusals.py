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

"""What is not there for flexible links yet says so, instead of answering for rigid ones."""

import flexible_robots
import numpy as np
import pytest

import mbd_ros
from mbd_ros.errors import InvalidValueError, MbdError, UnsupportedError

ARM = mbd_ros.load(flexible_robots.two_link_arm())
Q = V = np.zeros(6)


@pytest.mark.parametrize('call', [
    lambda: mbd_ros.analyse(ARM),
    lambda: mbd_ros.inertial_parameters(ARM),
    lambda: mbd_ros.regressor(ARM, Q, V, V),
])
def test_one_clear_error(call):
    with pytest.raises(UnsupportedError, match=r"^.+ of 'flexible', which has flexible links, is "
                       r'not supported in this version; load it with flexible=False$'):
        call()


def test_joints_that_do_not_exist():
    with pytest.raises(MbdError, match=r"^there is no joint named 'joint3'; known: joint1"):
        mbd_ros.natural_frequencies(ARM, Q, locked=['joint3'])


@pytest.mark.parametrize('stiffness', ['0 0 0 1', '1 1 1 1'])
def test_static_deflection_of_a_link_that_bends_without_a_force(stiffness):
    text = flexible_robots.beam('').replace(
        '<beam length="1.0" linear_density="0.54" />',
        '<point xyz="0.5 0 0" mass="0.1" shape="0 1 0 0 0 0"/>'
        '<point xyz="1 0 0" mass="0.1" shape="0 0 0 0 1 0"/>'
        f'<stiffness values="{stiffness}"/>')
    with pytest.raises(InvalidValueError, match=r"^model is 'flexible'; allowed: a robot whose "
                       "links resist bending: 'beam' has shapes without stiffness$"):
        mbd_ros.static_deflection(mbd_ros.load(text), np.zeros(2))


def test_a_load_under_which_no_rest_is_found():
    with pytest.raises(InvalidValueError, match=r'^the load .*; from there no rest was found$'):
        mbd_ros.static_deflection(ARM, Q, np.full(6, 1e12))


def test_what_is_exact_for_any_mass_matrix_works():
    rows, right = np.eye(6)[:1], [0.5]
    found = mbd_ros.udwadia_kalaba(ARM, Q, V, V, rows, right)
    given = mbd_ros.hybrid_dynamics(ARM, Q, V, V, 0.5 * np.eye(6)[0], given=['joint1'])
    np.testing.assert_allclose(found.accelerations, given.qdd, atol=1e-9)  # condition 1e5
    np.testing.assert_allclose(found.constraint_force[0], given.tau[0], atol=1e-9)
    assert mbd_ros.mobility(ARM, Q) == 6
