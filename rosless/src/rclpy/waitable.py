"""Waitables of one's own, which rosless has not: they need the wait set of rcl."""

from __future__ import annotations

from .absent import Absent


class NumberOfEntities:
    """How many entities of each kind a waitable has."""

    num_subscriptions: int
    num_guard_conditions: int
    num_timers: int
    num_clients: int
    num_services: int
    num_events: int

    def __init__(
        self,
        num_subs: int = 0,
        num_gcs: int = 0,
        num_timers: int = 0,
        num_clients: int = 0,
        num_services: int = 0,
        num_events: int = 0,
    ) -> None:
        self.num_subscriptions = num_subs
        self.num_guard_conditions = num_gcs
        self.num_timers = num_timers
        self.num_clients = num_clients
        self.num_services = num_services
        self.num_events = num_events


class Waitable(Absent):
    """Base of waitables."""

    why = (
        'it would add C handles to the wait set of rcl. Use a subscription, a timer or a guard '
        'condition (Node.create_guard_condition), which any thread may trigger'
    )
