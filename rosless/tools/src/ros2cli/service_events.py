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

"""What introspected services tell of their calls, as text."""

from __future__ import annotations

from typing import Any

from rosidl_runtime_py.convert import to_plain
from rosidl_runtime_py.convert import value_to_yaml


def event_topic(service: str) -> str:
    """Return the name of the topic on which clients and servers of a service tell of calls."""
    return f'{service}/_service_event'


def event_text(event: Any, *, flow_style: bool = False, **options: Any) -> str:
    """
    Return an event as YAML, with the name of what happened instead of its number.

    Parameters
    ----------
    event : message
        The ``Event`` message of a service.
    flow_style : bool, optional
        Whether collections stand on one line.
    **options
        ``truncate_length``, ``no_arr``, ``no_str`` of ``message_to_yaml``.

    """
    from service_msgs.msg import ServiceEventInfo

    names = {getattr(ServiceEventInfo, name): name for name in (
        'REQUEST_SENT', 'REQUEST_RECEIVED', 'RESPONSE_SENT', 'RESPONSE_RECEIVED')}
    plain = to_plain(event, **options)
    plain['info']['event_type'] = names.get(event.info.event_type, event.info.event_type)
    return value_to_yaml(plain, flow_style=flow_style)
