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

"""Helpers for authors of actions and substitutions."""

from __future__ import annotations

import importlib
from typing import Any

from launch.utilities.class_tools_impl import is_a
from launch.utilities.class_tools_impl import is_a_subclass
from launch.utilities.class_tools_impl import isclassinstance
from launch.utilities.create_future_impl import create_future
from launch.utilities.ensure_argument_type_impl import ensure_argument_type
from launch.utilities.normalize_to_list_of_substitutions_impl import \
    normalize_to_list_of_substitutions
from launch.utilities.perform_substitutions_impl import perform_substitutions
from launch.utilities.signal_management import AsyncSafeSignalManager

__all__ = [
    'AsyncSafeSignalManager',
    'create_future',
    'ensure_argument_type',
    'is_a',
    'is_a_subclass',
    'isclassinstance',
    'normalize_to_list_of_substitutions',
    'perform_substitutions',
]

_LATER = {   # they need the entities, which need this module
    'normalize_to_list_of_entities': 'normalize_to_list_of_entities_impl',
    'visit_all_entities_and_collect_futures': 'visit_all_entities_and_collect_futures_impl',
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(importlib.import_module(f'{__name__}.{_LATER[name]}'), name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
