"""What the callback of a transition returns."""

from __future__ import annotations

from enum import Enum

from lifecycle_msgs.msg import Transition


class TransitionCallbackReturn(Enum):
    """How a transition went: done, not done, or in error."""

    SUCCESS = Transition.TRANSITION_CALLBACK_SUCCESS
    FAILURE = Transition.TRANSITION_CALLBACK_FAILURE
    ERROR = Transition.TRANSITION_CALLBACK_ERROR

    def to_label(self) -> str:
        """Return the label of the transition that follows, for example 'transition_success'."""
        return f'transition_{self.name.lower()}'
