"""The events executor of newer releases."""

from ..executors import SingleThreadedExecutor


class EventsExecutor(SingleThreadedExecutor):
    """
    Runs callbacks in the thread that spins.

    Every executor of rosless waits for events in C instead of building a wait set anew, so this
    one is the `SingleThreadedExecutor`.

    """
