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

"""Values of parameters that other nodes answer with: whatever they are, read as one type."""

from __future__ import annotations

from rcl_interfaces.msg import ParameterType, ParameterValue


def string(value: ParameterValue | None) -> str:
    """Return a text; empty where there is none, or something else."""
    if value is None or value.type != ParameterType.PARAMETER_STRING:
        return ''
    text: str = value.string_value
    return text


def string_array(value: ParameterValue | None) -> list[str]:
    """Return a list of texts; empty where there is none, or something else."""
    if value is None or value.type != ParameterType.PARAMETER_STRING_ARRAY:
        return []
    return [*value.string_array_value]
