"""The launch is to end."""

from launch.event import Event


class Shutdown(Event):
    """
    Asks everything to end.

    Parameters
    ----------
    reason : str
        Why.
    due_to_sigint : bool
        Whether the user pressed Ctrl-C.

    """

    name = 'launch.events.Shutdown'

    def __init__(
        self, *, reason: str = 'reason not given', due_to_sigint: bool = False,
    ) -> None:
        self.__reason = reason
        self.__due_to_sigint = due_to_sigint

    @property
    def reason(self) -> str:
        """Why the launch is to end."""
        return self.__reason

    @property
    def due_to_sigint(self) -> bool:
        """Whether the user pressed Ctrl-C."""
        return self.__due_to_sigint
