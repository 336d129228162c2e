"""Base of everything that becomes a text only while launching."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class Substitution:
    """A text that is computed when a launch description is executed."""

    def describe(self) -> str:
        """Return a text for people that shows what this substitution is."""
        return repr(self)

    def perform(self, context: LaunchContext) -> str:
        """
        Compute the text.

        Parameters
        ----------
        context : LaunchContext
            State of the launch: configurations, environment, locals.

        Returns
        -------
        str
            The text that takes the place of the substitution.

        """
        raise NotImplementedError(f'{type(self).__name__} does not implement perform()')
