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

"""Errors of this package as error codes of answers."""

from __future__ import annotations

from typing import Any

from mbd_msgs.msg import ErrorCode

from mbd_ros.errors import MbdError, one_line

ATTRIBUTES_WITH_NAMES = ('joint', 'link', 'name')


def error_code(error: MbdError) -> int:
    """Return the code that ``mbd_msgs/msg/ErrorCode`` gives to a kind of error."""
    return int(getattr(ErrorCode, error.code, ErrorCode.INTERNAL))


def error_name(code: int) -> str:
    """Return the name of a code, ``'INTERNAL'`` for one that is not known."""
    return next((name for name in dir(ErrorCode)
                 if name.isupper() and getattr(ErrorCode, name) == code), MbdError.code)


def name_at_fault(error: MbdError) -> str:
    """Return the joint or link that an error is about, empty if none."""
    for attribute in ATTRIBUTES_WITH_NAMES:
        value = getattr(error, attribute, None)
        if isinstance(value, str):
            return one_line(value)
    where = getattr(error, 'where', None)
    if isinstance(where, str) and where.count("'") == 2:
        return one_line(where.split("'")[1])
    return ''


def fail(response: Any, error: MbdError, generation: int) -> Any:
    """
    Fill an answer with an error and no number.

    Parameters
    ----------
    response : Response
        Of any service, as the client library made it; fields that it does not have are left out.
    error : MbdError
        What went wrong.
    generation : int
        Number of the model in use, 0 without one.

    Returns
    -------
    Response
        The same.

    """
    for field, value in (
            ('success', False), ('error_code', error_code(error)), ('message', str(error)),
            ('name_at_fault', name_at_fault(error)), ('model_generation', generation)):
        if hasattr(response, field):
            setattr(response, field, value)
    return response
