"""What an executor sees of timers, subscriptions, services, clients and guard conditions."""

from __future__ import annotations

from collections.abc import Callable
import itertools
from typing import Any, NamedTuple

from rosless.dds.endpoints import Endpoint
from rosless.dds.library import DATA_AVAILABLE

from .absent import NoHandle
from .callback_groups import CallbackGroup

_keys = itertools.count(1)


class Job(NamedTuple):
    """A call to make: `finish` gets what the callback (or coroutine) returned."""

    callback: Callable[..., Any]
    args: tuple[Any, ...] = ()
    finish: Callable[[Any], None] | None = None


class Entity(NoHandle):
    """
    Something that has callbacks.

    Attributes
    ----------
    callback_group : CallbackGroup
        The group its callbacks belong to.
    endpoint : Endpoint, optional
        What DDS signals data on.
    key : int
        Identifies it in wait sets.

    """

    def __init__(self, callback_group: CallbackGroup, endpoint: Endpoint | None = None) -> None:
        self.callback_group = callback_group
        self.endpoint = endpoint
        self.key = next(_keys)
        self.destroyed = False
        callback_group.add_entity(self)

    def next_job(self, executor: Any) -> Job | None:
        """Take one piece of work, or None if there is none; called by one thread at a time."""
        raise NotImplementedError

    def signalled(self, executor: Any) -> bool:
        """
        Look what DDS signalled; tell whether there are data to take.

        Where only data are waited for there is nothing to ask: taking them resets the signal, and
        so does `put_off`.

        """
        if self.endpoint is None or self.endpoint.statuses == DATA_AVAILABLE:
            return True
        statuses = self.endpoint.take_statuses()
        if statuses & ~DATA_AVAILABLE:
            self.on_events(statuses & ~DATA_AVAILABLE, executor)
        return bool(statuses & DATA_AVAILABLE)

    def put_off(self) -> None:
        """Let the data that were signalled no longer end waits, because they cannot be taken."""
        if self.endpoint is not None and self.endpoint.statuses == DATA_AVAILABLE:
            self.endpoint.take_statuses()

    def on_events(self, statuses: int, executor: Any) -> None:
        """Handle changes of DDS statuses other than new data."""
