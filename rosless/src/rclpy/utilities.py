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

"""The default context, and small helpers."""

from __future__ import annotations

from collections.abc import Sequence
import sys
import threading
from typing import Any

from rosless import arguments

from .constants import S_TO_NS
from .context import Context

g_default_context: Context | None = None
g_context_lock = threading.Lock()


def get_default_context(*, shutting_down: bool = False) -> Context:
    """Return the context that `rclpy.init` initialises."""
    global g_default_context
    with g_context_lock:
        if g_default_context is None:
            g_default_context = Context()
        elif shutting_down:
            old, g_default_context = g_default_context, None
            return old
        return g_default_context


def ok(*, context: Context | None = None) -> bool:
    """Tell whether the context is initialised and not shut down."""
    return (get_default_context() if context is None else context).ok()


def shutdown(*, context: Context | None = None) -> None:
    """Shut a context down; raises if that was done already."""
    if context is None:
        context = get_default_context(shutting_down=True)
    context.shutdown()


def try_shutdown(*, context: Context | None = None) -> None:
    """Shut a context down unless that was done already."""
    if context is None:
        context = get_default_context(shutting_down=True)
    if context._initialized:
        context.try_shutdown()


def remove_ros_args(args: Sequence[str] | None = None) -> list[str]:
    """Return a command line without what is for ROS."""
    return arguments.without_ros_arguments(sys.argv if args is None else args)


def timeout_sec_to_nsec(timeout_sec: float | None) -> int:
    """Return a timeout [s] in nanoseconds; -1 for ever (None or negative)."""
    if timeout_sec is None or timeout_sec < 0:
        return -1
    return int(float(timeout_sec) * S_TO_NS)


def get_rmw_implementation_identifier() -> str:
    """Return the middleware this stands for."""
    return 'rmw_cyclonedds_cpp'


def get_available_rmw_implementations() -> set[str]:
    """Return the middlewares there are to choose from: one."""
    return {get_rmw_implementation_identifier()}


def get_message_interface_name(cls: Any) -> str:
    """Return the full name of a message class: ``'std_msgs/msg/String'``."""
    return cls._definition.name
