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

"""Say clearly that a name of the original is not here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def absent(module: str, reasons: Mapping[str, str]) -> Callable[[str], Any]:
    """
    Return a ``__getattr__`` for a module that lacks some names.

    Parameters
    ----------
    module : str
        Name of the module.
    reasons : mapping
        What the original has and this module has not, and why, or what to use instead.

    Returns
    -------
    callable
        Raises ImportError for these names, AttributeError for any other.

    """
    def getattribute(name: str) -> Any:
        if name in reasons:
            raise ImportError(f'{module}.{name} is not available in rosless: {reasons[name]}')
        raise AttributeError(f"module '{module}' has no attribute '{name}'")

    return getattribute
