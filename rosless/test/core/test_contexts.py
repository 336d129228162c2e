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

"""Contexts: their beginning and end, signals, the middleware."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import rclpy
from rclpy import utilities
from rclpy.constants import S_TO_NS
from rclpy.context import Context
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.signals import (
    get_current_signal_handlers_options,
    install_signal_handlers,
    SignalHandlerOptions,
    uninstall_signal_handlers,
)

Make = Callable[..., Any]


def test_submodules_need_no_import() -> None:
    assert rclpy.qos.QoSProfile is rclpy.QoSProfile is QoSProfile
    assert rclpy.duration.Duration is Duration
    with pytest.raises(AttributeError, match="module 'rclpy' has no attribute 'nonsense'"):
        rclpy.nonsense  # noqa: B018


def test_the_middleware() -> None:
    name = rclpy.get_rmw_implementation_identifier()
    assert name == utilities.get_rmw_implementation_identifier() == 'rmw_cyclonedds_cpp'
    assert utilities.get_available_rmw_implementations() == {name}
    assert utilities.timeout_sec_to_nsec(1.5) == 15 * 10**8
    assert utilities.timeout_sec_to_nsec(None) == -1
    assert S_TO_NS == 10**9


def test_init_as_a_context_manager() -> None:
    with rclpy.init(args=[]) as manager:
        assert isinstance(manager, rclpy.InitContextManager)
        assert rclpy.get_global_executor().context is manager.context
        assert utilities.g_default_context is manager.context
        assert utilities.g_context_lock.acquire(blocking=False)
        utilities.g_context_lock.release()
    assert not rclpy.ok()


def test_signal_handlers_come_and_go() -> None:
    assert rclpy.install_signal_handlers is install_signal_handlers
    install_signal_handlers(SignalHandlerOptions.SIGTERM)
    assert get_current_signal_handlers_options() == SignalHandlerOptions.SIGTERM
    rclpy.uninstall_signal_handlers()
    uninstall_signal_handlers()
    assert get_current_signal_handlers_options() == rclpy.SignalHandlerOptions.NO


def test_contexts_end_once(make_node: Make) -> None:
    context = Context()
    assert not context.ok()
    context.init(args=[])
    ended: list[str] = []
    context.on_shutdown(lambda: ended.append('first'))
    node = Node('short', context=context)
    context.track_node(node)
    context.untrack_node(node)
    context.destroy()
    assert not context.ok()
    context.on_shutdown(lambda: ended.append('late'))
    assert ended == ['first', 'late']
