"""Compute the text of a list of substitutions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from launch.substitution import Substitution

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


def perform_substitutions(context: LaunchContext, subs: Iterable[Substitution]) -> str:
    """Return the texts of the substitutions in this context, put together."""
    return ''.join(context.perform_substitution(sub) for sub in subs)
