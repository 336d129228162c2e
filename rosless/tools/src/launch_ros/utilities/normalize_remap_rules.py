"""Turn what users write as remappings into pairs of parts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from launch.substitution import Substitution
from launch.utilities import normalize_to_list_of_substitutions

Rule = tuple[list[Substitution], list[Substitution]]


def normalize_remap_rule(rule: Any) -> Rule:
    """
    Return the two sides of a remapping as parts.

    Raises
    ------
    TypeError
        If the rule is not a pair of texts with substitutions.

    """
    if not isinstance(rule, (tuple, list)) or len(rule) != 2:
        raise TypeError(f"expected a remapping as a pair ('from', 'to'), found '{rule}'")
    return (normalize_to_list_of_substitutions(rule[0]),
            normalize_to_list_of_substitutions(rule[1]))


def normalize_remap_rules(rules: Iterable[Any]) -> list[Rule]:
    """Return the two sides of each remapping as parts."""
    return [normalize_remap_rule(rule) for rule in rules]
