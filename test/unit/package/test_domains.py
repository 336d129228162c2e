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

"""The DDS domain of a test run is one in which nobody is."""

import os
import socket

import domains
import pytest


@pytest.mark.parametrize('taken', ['lock', 'robot'])
def test_a_domain_that_somebody_uses_is_passed_over(monkeypatch, taken):
    for name in ('ROS_DOMAIN_ID', 'TEST_DOMAIN'):
        monkeypatch.setenv(name, os.environ.get(name, '0'))   # given back after the test
    first = domains.reserve_domain()
    domain = int(os.environ['ROS_DOMAIN_ID'])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as robot:
        if taken == 'robot':   # as the second participant of the domain
            os.close(first)
            robot.bind(('', 7412 + 250 * domain))
        second = domains.reserve_domain()
        assert int(os.environ['ROS_DOMAIN_ID']) not in (0, domain)
        os.close(second)
    if taken == 'lock':
        os.close(first)
    third = domains.reserve_domain()   # free again
    assert int(os.environ['ROS_DOMAIN_ID']) == domain
    os.close(third)
