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

"""Which DDS implementation a participant is of: the first two octets of its GUID."""

from __future__ import annotations

from collections.abc import Iterable

CYCLONE_DDS = 0x0110
VENDORS = {
    0x0101: 'RTI Connext DDS',
    0x0102: 'OpenSplice',
    0x0103: 'OpenDDS',
    0x010F: 'Fast DDS',
    CYCLONE_DDS: 'Cyclone DDS',
    0x0111: 'GurumDDS',
    0x0112: 'RustDDS',
}
NAMESPACE = 0x01  # first octet of the vendor ids that have been given out


def vendor_id(gid: bytes) -> int:
    """Return the vendor id of a GUID, with which RTPS lets its prefix begin."""
    return int.from_bytes(gid[:2], 'big')


def foreign_vendors(participants: Iterable[bytes]) -> list[int]:
    """Return the vendor ids other than that of Cyclone DDS, sorted."""
    found = {vendor_id(gid) for gid in participants}
    return sorted(v for v in found if v >> 8 == NAMESPACE and v != CYCLONE_DDS)


def hint(vendor: int) -> str:
    """Return what to tell the user when a participant of that vendor is seen."""
    name = VENDORS.get(vendor, f'another DDS vendor (id {vendor:#06x})')
    return (
        f'A program that uses {name} is in this domain. Topics pass between it and this program; '
        'services, parameters, actions and lifecycle do not, as they carry the identity of a call '
        'differently. For all of them, start the other program with '
        'RMW_IMPLEMENTATION=rmw_cyclonedds_cpp.'
    )
