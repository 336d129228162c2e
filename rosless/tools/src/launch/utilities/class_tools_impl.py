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

"""Ask for the class of something."""

from __future__ import annotations

import inspect
from typing import Any


def is_a(obj: Any, entity_type: type) -> bool:
    """Tell whether an object is of a class."""
    return isinstance(obj, entity_type)


def is_a_subclass(obj: Any, entity_type: type) -> bool:
    """Tell whether an object is of a class, or is a class below it."""
    return is_a(obj, entity_type) or (inspect.isclass(obj) and issubclass(obj, entity_type))


def isclassinstance(obj: Any) -> bool:
    """Tell whether an object is an instance: no function, module or class."""
    return not (inspect.isroutine(obj) or inspect.isclass(obj) or inspect.ismodule(obj))
