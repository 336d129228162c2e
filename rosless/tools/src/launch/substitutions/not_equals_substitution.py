"""Whether two texts differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launch.substitutions.equals_substitution import EqualsSubstitution

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class NotEqualsSubstitution(EqualsSubstitution):
    """Stands for ``'true'`` where two texts differ, else for ``'false'``."""

    def perform(self, context: LaunchContext) -> str:
        """Return ``'true'`` or ``'false'``."""
        return 'false' if super().perform(context) == 'true' else 'true'
