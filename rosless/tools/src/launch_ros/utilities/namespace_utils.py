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

"""Put namespaces together."""

from __future__ import annotations


def is_namespace_absolute(namespace: str) -> bool:
    """Tell whether a namespace begins with a slash."""
    return namespace.startswith('/')


def is_root_namespace(namespace: str) -> bool:
    """Tell whether a namespace is the root."""
    return namespace == '/'


def make_namespace_absolute(namespace: str) -> str:
    """Return the namespace with a slash in front, unless it is empty."""
    return namespace if not namespace or namespace.startswith('/') else f'/{namespace}'


def prefix_namespace(base: str | None, namespace: str | None) -> str | None:
    """
    Return a namespace as seen from the root.

    Parameters
    ----------
    base : str or None
        Namespace that holds where ``namespace`` is written.
    namespace : str or None
        Relative to ``base`` unless it begins with a slash.

    Returns
    -------
    str or None
        None if both are None.

    """
    if not namespace:
        return base
    if namespace.startswith('/') or not base:
        combined = namespace
    else:
        combined = f"{base.rstrip('/')}/{namespace}"
    return combined.rstrip('/') or '/'
