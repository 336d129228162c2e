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
