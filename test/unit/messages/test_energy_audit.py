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

"""The audit of energy, there and back."""

from mbd_msgs.msg import EnergyAudit

from mbd_ros.messages.states.energy_audit import energy_audit, energy_parts


def test_there_and_back():
    parts = {'kinetic': 2.0, 'potential': -3.0, 'drag': -0.5, 'balance': 1e-9}
    message = energy_audit(3_000_000_007, parts)
    assert (message.header.stamp.sec, message.header.stamp.nanosec) == (3, 7)
    assert list(message.names) == ['kinetic', 'potential', 'drag']
    assert list(message.energies) == [2.0, -3.0, -0.5] and message.balance == 1e-9
    assert energy_parts(message) == parts


def test_what_others_send_is_read_as_far_as_it_goes():
    assert energy_parts(EnergyAudit(names=['a', 'b'], energies=[1.0], balance=2.0)) == {
        'a': 1.0, 'balance': 2.0}


def test_names_without_end_are_cut():
    many = EnergyAudit(names=list(map(str, range(1000))), energies=[0.0] * 1000)
    assert len(energy_parts(many)) == 21
