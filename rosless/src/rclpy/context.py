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

"""Contexts: what `init` makes and `shutdown` ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
import sys
import threading
from typing import Any, TYPE_CHECKING
import weakref

from cyclonedds.core import DDSException
from rosless import arguments as command_line
from rosless.dds.config import domain_id as domain_from_environment
from rosless.dds.config import MAX_DOMAIN_ID

from .exceptions import NotInitializedException
from .handle import HasHandle
from .impl import log_files, log_output
from .impl.logging_severity import LoggingSeverity
from .impl.rcutils_logger import RcutilsLogger
from .rcl_errors import RCLError, RCLInvalidROSArgsError, UnknownROSArgsError

if TYPE_CHECKING:
    from rosless.dds.endpoints import Reader, Writer
    from rosless.dds.participant import Participant
    from rosless.graph.discovery import Discovery
    from rosless.graph.queries import Graph

ENDED = 'the context has been shut down'
g_logging_contexts: weakref.WeakSet[Context] = weakref.WeakSet()
_contexts: weakref.WeakSet[Context] = weakref.WeakSet()


class Context(HasHandle):
    """
    What nodes share: arguments, the DDS participant, and whether the program is to go on.

    Most programs use the default one, through `rclpy.init` and `rclpy.shutdown`.

    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._valid = False
        self._initialized = False
        self._callbacks: list[Any] = []
        self._interrupts: set[threading.Event] = set()
        self._domain_id = 0
        self._participant: Participant | None = None
        self._graph: Graph | None = None
        self.arguments = command_line.RosArguments()

    def init(
        self,
        args: Sequence[str] | None = None,
        *,
        initialize_logging: bool = True,
        domain_id: int | None = None,
    ) -> None:
        """
        Initialise the context.

        Parameters
        ----------
        args : Sequence[str], optional
            Command line; that of the process if omitted.
        initialize_logging : bool
            Whether `--log-level` and its kin take effect.
        domain_id : int, optional
            The DDS domain; ``ROS_DOMAIN_ID`` if omitted.

        Raises
        ------
        RuntimeError
            If the context is initialised already.
        UnknownROSArgsError
            If there are unknown arguments behind `--ros-args`.
        RCLInvalidROSArgsError
            If such an argument is malformed.
        UnicodeEncodeError
            If the octets of an argument are no UTF-8 (Python has surrogates for them).

        """
        with self._lock:
            if self._valid:
                raise RuntimeError('Context.init() must only be called once')
            given = sys.argv if args is None else args
            for argument in given:
                argument.encode()  # raises for what is no UTF-8, as rclpy has it
            try:
                self.arguments = command_line.parse(given)
            except command_line.ArgumentError as error:
                raise RCLInvalidROSArgsError(f'Failed to parse ROS arguments: {error}') from None
            if self.arguments.unknown:
                raise UnknownROSArgsError(f'Found unknown ROS arguments: {self.arguments.unknown}')
            if domain_id is not None and not 0 <= domain_id <= MAX_DOMAIN_ID:
                raise RuntimeError(
                    f'Domain id ({domain_id}) should be between 0 and {MAX_DOMAIN_ID}.'
                )
            self._domain_id = domain_from_environment() if domain_id is None else domain_id
            if initialize_logging:
                g_logging_contexts.add(self)
                log_output.console = self.arguments.stdout
                if self.arguments.files:
                    log_files.enable(self.arguments.log_file_name)
                else:
                    log_files.disable()
                for name, level in self.arguments.log_levels.items():
                    log_output.set_level(name, LoggingSeverity(level))
            self._valid = self._initialized = True
            _contexts.add(self)

    def ok(self) -> bool:
        """Tell whether the context is initialised and not shut down."""
        return self._valid

    def get_domain_id(self) -> int:
        """Return the DDS domain."""
        if not self._initialized:
            raise RuntimeError('Context must be initialized before it has a domain id')
        return self._domain_id

    def shutdown(self) -> None:
        """
        End the context: its nodes vanish from the graph, spinning ends.

        Raises
        ------
        RuntimeError
            If the context was never initialised.
        RCLError
            If it is shut down already, for example by a signal.

        """
        if not self._initialized:
            raise RuntimeError('Context must be initialized before it can be shutdown')
        with self._lock:
            was_valid = self._valid
            self.invalidate()
            self._close()
        if not was_valid:
            raise RCLError('failed to shutdown: rcl_shutdown already called on the given context')

    def try_shutdown(self) -> None:
        """End the context unless it has ended already."""
        with self._lock:
            self.invalidate()
            self._close()

    def destroy(self) -> None:
        """End the context unless it has ended already; its nodes vanish from the graph."""
        self.try_shutdown()

    def track_node(self, node: Any) -> None:
        """Do nothing: the context owns what DDS has of its nodes, and deletes it at its end."""

    def untrack_node(self, node: Any) -> None:
        """Do nothing; see `track_node`."""

    def on_shutdown(self, callback: Callable[[], None]) -> None:
        """Call the function when the program shuts the context down; a signal does not call it."""
        if not callable(callback):
            raise TypeError('callback should be a callable, got {}', type(callback))
        with self._lock:
            if self._initialized and not self._valid:
                callback()
            else:
                self._callbacks.append(_weakly(callback))

    @contextmanager
    def interrupting(self, event: threading.Event) -> Iterator[None]:
        """Set the event when the context is shut down inside the `with` block, or was before."""
        self._interrupts.add(event)
        try:
            if not self._valid:
                event.set()
            yield
        finally:
            self._interrupts.discard(event)

    def mark_invalid(self) -> None:
        """Let `ok` be false; all a signal handler may do, as it must not wait for locks."""
        self._valid = False

    def invalidate(self) -> None:
        """
        Let `ok` be false, end waits, and run what `on_shutdown` was given.

        After `mark_invalid`, so after a signal, nothing is run: a real context is ended in C then.

        """
        with self._lock:
            was_valid, self._valid = self._valid, False
            callbacks, self._callbacks = self._callbacks if was_valid else [], []
        for event in list(self._interrupts):
            event.set()
        for reference in callbacks:
            callback = reference()
            if callback is not None:
                callback()

    @property
    def participant(self) -> Participant:
        """Return the DDS participant, made when first needed."""
        return self._connect()[0]

    def writer(self, *arguments: Any) -> Writer:
        """Make what `Participant.writer` makes; RCLError if the context ends meanwhile."""
        with self._making():
            return self.participant.writer(*arguments)

    def reader(self, *arguments: Any) -> Reader:
        """Make what `Participant.reader` makes; RCLError if the context ends meanwhile."""
        with self._making():
            return self.participant.reader(*arguments)

    @property
    def graph(self) -> Graph:
        """Questions about the graph."""
        return self._connect()[1]

    @property
    def discovery(self) -> Discovery:
        """How nodes are announced."""
        return self._connect()[1].discovery

    def __enter__(self) -> Context:
        """Initialise, unless that is done."""
        if not self._valid:
            self.init()
        return self

    def __exit__(self, *_: object) -> None:
        """Shut down, unless that is done."""
        self.try_shutdown()

    def _connect(self) -> tuple[Participant, Graph]:
        with self._lock:
            self._require_initialized()
            if self._participant is None or self._graph is None:
                if not self._valid:
                    raise RCLError(ENDED)
                from rosless.dds.participant import Participant
                from rosless.graph.discovery import Discovery
                from rosless.graph.queries import Graph

                self._participant = Participant(self._domain_id, self.arguments.enclave)
                discovery = Discovery(self._participant, _warn_of_vendor)
                self._graph = Graph(self._participant, discovery)
            return self._participant, self._graph

    @contextmanager
    def _making(self) -> Iterator[None]:
        try:
            yield
        except DDSException as error:
            if self._valid:
                raise
            raise RCLError(ENDED) from error

    def _close(self) -> None:
        participant, self._participant, self._graph = self._participant, None, None
        if participant is not None:
            participant.close()

    def _require_initialized(self) -> None:
        if not self._initialized:
            raise NotInitializedException()


def initialized_contexts() -> list[Context]:
    """Return the contexts of the process that were initialised."""
    return list(_contexts)


def _warn_of_vendor(vendor: int) -> None:
    from rosless.graph.vendors import hint

    RcutilsLogger('rclpy').warning(hint(vendor))


def _weakly(callback: Callable[[], None]) -> Callable[[], Callable[[], None] | None]:
    if hasattr(callback, '__self__'):
        return weakref.WeakMethod(callback)
    return lambda: callback
