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
The C functions of Cyclone DDS that are called directly.

They are loaded a second time under handles of our own, so that their signatures do not disturb
those the wheel declares. Calls through `c` release the GIL; those through `quick`, and of the
wheel's `_clayer`, hold it.

"""

from __future__ import annotations

import ctypes as ct
from typing import Any

from cyclonedds.internal import DDS

c = ct.CDLL(DDS._dll_handle._name)
quick = ct.PyDLL(DDS._dll_handle._name)

TIMEOUT = -10
INFINITE = 0x7FFFFFFFFFFFFFFF
LIBRARY = 0x7FFF0100   # DDS_CYCLONEDDS_HANDLE, the entity to which domains belong
DATA_AVAILABLE = 1 << 8
OFFERED_INCOMPATIBLE_QOS = 1 << 3
REQUESTED_INCOMPATIBLE_QOS = 1 << 4

_SIGNATURES: dict[str, tuple[Any, ...]] = {
    'dds_create_waitset': (ct.c_int32, ct.c_int32),
    'dds_create_guardcondition': (ct.c_int32, ct.c_int32),
    'dds_waitset_attach': (ct.c_int32, ct.c_int32, ct.c_int32, ct.c_void_p),
    'dds_waitset_detach': (ct.c_int32, ct.c_int32, ct.c_int32),
    'dds_waitset_wait': (ct.c_int32, ct.c_int32, ct.c_void_p, ct.c_size_t, ct.c_int64),
    'dds_set_guardcondition': (ct.c_int32, ct.c_int32, ct.c_bool),
    'dds_take_guardcondition': (ct.c_int32, ct.c_int32, ct.c_void_p),
    'dds_take_status': (ct.c_int32, ct.c_int32, ct.c_void_p, ct.c_uint32),
    'dds_set_status_mask': (ct.c_int32, ct.c_int32, ct.c_uint32),
    'dds_get_matched_subscriptions': (ct.c_int32, ct.c_int32, ct.c_void_p, ct.c_size_t),
    'dds_get_matched_publications': (ct.c_int32, ct.c_int32, ct.c_void_p, ct.c_size_t),
    'dds_assert_liveliness': (ct.c_int32, ct.c_int32),
    'dds_wait_for_acks': (ct.c_int32, ct.c_int32, ct.c_int64),
    'dds_write': (ct.c_int32, ct.c_int32, ct.c_void_p),
    'dds_delete': (ct.c_int32, ct.c_int32),
    'dds_get_entity_sertype': (ct.c_int32, ct.c_int32, ct.c_void_p),
    'dds_takecdr': (
        ct.c_int32, ct.c_int32, ct.c_void_p, ct.c_uint32, ct.c_void_p, ct.c_uint32),
    'ddsi_serdata_size': (ct.c_uint32, ct.c_void_p),
    'ddsi_serdata_to_ser': (None, ct.c_void_p, ct.c_size_t, ct.c_size_t, ct.c_char_p),
    'ddsi_serdata_to_ser_ref': (
        ct.c_void_p, ct.c_void_p, ct.c_size_t, ct.c_size_t, ct.c_void_p),
    'ddsi_serdata_to_ser_unref': (None, ct.c_void_p, ct.c_void_p),
    'ddsi_serdata_unref': (None, ct.c_void_p),
    'ddsi_sertype_ref': (ct.c_void_p, ct.c_void_p),
    'ddsi_sertype_typeinfo': (ct.c_void_p, ct.c_void_p),
}
for _name, (_result, *_arguments) in _SIGNATURES.items():
    for _library in (c, quick):
        _function = getattr(_library, _name, None)
        if _function is None:
            raise ImportError(
                f'{_library._name} has no function {_name}: it is no Cyclone DDS of release 11, '
                'which rosless needs; unset CYCLONEDDS_HOME, or "pip install --force-reinstall '
                '\'cyclonedds>=11.0.1,<12\'"')
        _function.restype = _result
        _function.argtypes = _arguments
_kept: list[int] = []


def keep_initialized() -> None:
    """
    Keep the library initialised until the process has ended.

    It ends with its last entity otherwise, at the end of a program with the last domain. A thread
    that calls it at that moment then uses tables that are being freed, and the process dies by
    SIGSEGV or SIGABRT: so did programs whose second SIGTERM made `rclpy.signals` end waits while
    the first one had them end. While this entity is there, what threads call with handles of
    deleted entities returns an error.

    Raises
    ------
    RuntimeError
        If the library cannot be initialised.

    """
    if not _kept:
        guard = c.dds_create_guardcondition(LIBRARY)
        if guard < 0:
            raise RuntimeError(f'Cyclone DDS cannot be initialised: it returns {guard}')
        _kept.append(guard)
