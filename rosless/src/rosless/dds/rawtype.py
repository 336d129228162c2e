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

"""
A DDS type for any ROS type: one octet as far as DDS knows, with the right name.

The octets of a sample pass as they are; the codec of `rosless.idl` makes them. ROS 2 compares
types by name. The wheel describes the structure of a type to peers as well (XTypes), and peers
that do the same, such as Fast DDS of newer releases, would compare that; so the description, which
is that of the one octet, is taken out of the type before endpoints are made.

"""

from __future__ import annotations

import ctypes as ct
from typing import Any, NamedTuple

from cyclonedds.idl import make_idl_struct
from cyclonedds.idl.types import uint8
from cyclonedds.topic import Topic

from .library import c

OPERATIONS = 16  # pointers to copy; the table of operations of a type has 14
TYPE_ID, TYPE_MAP, TYPE_INFO = 8, 9, 10  # their places in `struct ddsi_sertype_ops`

STRUCTURE = tuple(map(bytes.fromhex, (
    (
        '6000000001100040280000002400000014000000f1c85afe1e97b8cf6d9102c338207e002700000000000000'
        '040000000000000002100040280000002400000014000000f2d3e74980c3ba07c266cb2a3b23710044000000'
        '000000000400000000000000'),
    (
        '3b00000001000000f1c85afe1e97b8cf6d9102c338207e0023000000f1510100010000000000000013000000'
        '010000000b0000000000000001000de7e4b902005800000001000000f2d3e74980c3ba07c266cb2a3b237100'
        '40000000f251010015000000000000000d000000726f736c6573733a3a526177000000001c00000001000000'
        '140000000000000001000d00060000006f637465740000002200000001000000f2d3e74980c3ba07c266cb2a'
        '3b2371f1c85afe1e97b8cf6d9102c338207e'))))
"""
The description of one octet, of a type 'rosless::Raw', as the wheel puts it together.

That takes a tenth of a second in every process, for what is taken out again.
"""

WRONG_LIBRARY = 'rosless needs the version of cyclonedds that it was installed with'


class Sertype(NamedTuple):
    """A type of Cyclone DDS in memory: its address, its first member, and what that was."""

    address: int
    pointer: ct.c_void_p
    original: int


_types: dict[str, Any] = {}
_plain: Any = None
_sertypes: dict[tuple[int, str], Sertype] = {}


def raw_type(name: str) -> Any:
    """Return a type for `cyclonedds.topic.Topic`; its name is as on the wire."""
    if name not in _types:
        _types[name] = make_idl_struct('Raw', name, {'octet': uint8})
        _types[name].__idl__._xt_data = _types[name].__idl__._xt_bytedata = STRUCTURE
    return _types[name]


def make_topic(participant: Any, domain_id: int, name: str, type_name: str) -> Topic[Any]:
    """
    Return a topic whose endpoints are compared by the name of their type alone.

    A type of Cyclone DDS begins with a pointer to a table of its operations. It is replaced by one
    to a copy without the three that describe the structure, as types of rmw_cyclonedds_cpp are.
    Cyclone DDS keeps books of structures when topics are made; so the pointer is put back then,
    and the type, which topics of a domain share, is never deleted.

    Raises
    ------
    RuntimeError
        If the library is not the one this was written for.

    """
    global _plain
    known = _sertypes.get((domain_id, type_name))
    if known is not None:
        known.pointer.value = known.original
    topic: Topic[Any] = Topic(participant, name, raw_type(type_name))
    sertype = ct.c_void_p()
    c.dds_get_entity_sertype(topic._ref, ct.byref(sertype))
    if known is None:
        pointer = ct.c_void_p.from_address(sertype.value or 0)
        known = Sertype(sertype.value or 0, pointer, pointer.value or 0)
        _sertypes[domain_id, type_name] = known
        _plain = _plain or _without_structure(known.original)
        c.ddsi_sertype_ref(sertype)
    known.pointer.value = ct.addressof(_plain)
    if known.address != sertype.value or c.ddsi_sertype_typeinfo(sertype) is not None:
        raise RuntimeError(WRONG_LIBRARY)
    return topic


def _without_structure(table: int) -> Any:
    operations = (ct.c_void_p * OPERATIONS).from_address(table)
    if operations[0] != ct.cast(c.ddsi_sertype_v0, ct.c_void_p).value:
        raise RuntimeError(WRONG_LIBRARY)
    copy = (ct.c_void_p * OPERATIONS)(*operations)
    for operation in (TYPE_ID, TYPE_MAP, TYPE_INFO):
        copy[operation] = None
    return copy
