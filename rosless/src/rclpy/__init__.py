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
The ROS 2 client library for Python, as rosless provides it where no ROS 2 is installed.

A program initialises, makes nodes, spins them and shuts down::

    rclpy.init()
    node = rclpy.create_node('my_node')
    rclpy.spin(node)
    node.destroy_node()
    rclpy.shutdown()

"""

from __future__ import annotations

from collections.abc import Sequence
import importlib
import pkgutil
from typing import Any, TYPE_CHECKING

from . import _rosless  # noqa: F401  first of all: refuses to load beside a real rclpy
from .context import Context
from .parameter import Parameter
from .qos import QoSProfile
from .signals import (
    install_signal_handlers,
    SignalHandlerOptions,
    uninstall_signal_handlers,
)
from .task import Future
from .utilities import (
    get_default_context,
    get_rmw_implementation_identifier,
    ok,
)
from .utilities import shutdown as _shutdown
from .utilities import try_shutdown as _try_shutdown

if TYPE_CHECKING:
    from .executors import Executor
    from .node import Node

__all__ = [
    'Context',
    'Future',
    'Parameter',
    'QoSProfile',
    'create_node',
    'get_default_context',
    'get_global_executor',
    'get_rmw_implementation_identifier',
    'init',
    'ok',
    'shutdown',
    'spin',
    'spin_once',
    'spin_until_future_complete',
    'try_shutdown',
]

SUBMODULES = frozenset(module.name for module in pkgutil.iter_modules(__path__))
_global_executor: Executor | None = None


class InitContextManager:
    """What `init` returns, so that it can be used in a `with` statement."""

    def __init__(self, context: Context, uninstall_handlers: bool) -> None:
        self.context = context
        self._uninstall_handlers = uninstall_handlers

    def __enter__(self) -> InitContextManager:
        return self

    def __exit__(self, *_: object) -> None:
        if self.context is get_default_context():
            try_shutdown(uninstall_handlers=self._uninstall_handlers)
        else:
            self.context.try_shutdown()


def init(
    *,
    args: Sequence[str] | None = None,
    context: Context | None = None,
    domain_id: int | None = None,
    signal_handler_options: SignalHandlerOptions | None = None,
) -> InitContextManager:
    """
    Initialise.

    Parameters
    ----------
    args : Sequence[str], optional
        Command line; that of the process if omitted.
    context : Context, optional
        The context; the default one if omitted.
    domain_id : int, optional
        The DDS domain; ``ROS_DOMAIN_ID`` if omitted.
    signal_handler_options : SignalHandlerOptions, optional
        Which signals shut down; all for the default context, else none.

    """
    chosen = get_default_context() if context is None else context
    if signal_handler_options is None:
        signal_handler_options = (
            SignalHandlerOptions.ALL if context is None else SignalHandlerOptions.NO
        )
    chosen.init(args, domain_id=domain_id)
    install_signal_handlers(signal_handler_options)
    return InitContextManager(chosen, context is None)


def shutdown(*, context: Context | None = None, uninstall_handlers: bool | None = None) -> None:
    """
    Shut down.

    Parameters
    ----------
    context : Context, optional
        The context; the default one if omitted.
    uninstall_handlers : bool, optional
        Whether signal handlers are removed; if omitted, they are with the default context.

    Raises
    ------
    RCLError
        If it is shut down already, for example by a signal; see `try_shutdown`.

    """
    _forget_global_executor(context)
    try:
        _shutdown(context=context)
    finally:
        if uninstall_handlers or (uninstall_handlers is None and context is None):
            uninstall_signal_handlers()


def try_shutdown(
    *, context: Context | None = None, uninstall_handlers: bool | None = None
) -> None:
    """Shut down, unless that has happened already; see `shutdown`."""
    _forget_global_executor(context)
    _try_shutdown(context=context)
    if uninstall_handlers or (uninstall_handlers is None and context is None):
        uninstall_signal_handlers()


def __getattr__(name: str) -> Any:
    """Import a submodule when it is first named: ``rclpy.qos`` needs no import of its own."""
    if name.startswith('_') or name not in SUBMODULES:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    return importlib.import_module(f'{__name__}.{name}')


def create_node(node_name: str, **kwargs: Any) -> Node:
    """Make a node; the arguments are those of `rclpy.node.Node`."""
    from .node import Node

    return Node(node_name, **kwargs)


def get_global_executor() -> Executor:
    """Return the executor of `spin`: single-threaded."""
    global _global_executor
    if _global_executor is None or _global_executor._is_shutdown:
        from .executors import SingleThreadedExecutor

        executor = SingleThreadedExecutor()
        executor.context.on_shutdown(executor.wake)
        _global_executor = executor
    return _global_executor


def spin(node: Node, executor: Executor | None = None) -> None:
    """Run a node's callbacks until shutdown."""
    executor = get_global_executor() if executor is None else executor
    try:
        executor.add_node(node)
        while executor.context.ok() and not executor._is_shutdown:
            executor.spin_once()
    finally:
        executor.remove_node(node)


def spin_once(
    node: Node, *, executor: Executor | None = None, timeout_sec: float | None = None
) -> None:
    """Run one callback of a node, waiting for it at most a time [s]."""
    executor = get_global_executor() if executor is None else executor
    try:
        executor.add_node(node)
        executor.spin_once(timeout_sec=timeout_sec)
    finally:
        executor.remove_node(node)


def spin_until_future_complete(
    node: Node,
    future: Future,
    executor: Executor | None = None,
    timeout_sec: float | None = None,
) -> None:
    """Run a node's callbacks until a future is done, or the time [s] is over."""
    executor = get_global_executor() if executor is None else executor
    try:
        executor.add_node(node)
        executor.spin_until_future_complete(future, timeout_sec)
    finally:
        executor.remove_node(node)


def _forget_global_executor(context: Context | None) -> None:
    global _global_executor
    executor = _global_executor
    if executor is not None and (context is None or executor.context is context):
        _global_executor = None
        executor.shutdown(timeout_sec=0.0)
