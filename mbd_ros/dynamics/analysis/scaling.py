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

"""
Steps of long chains on many processors, where operations are too many to be scheduled one by one.

Work and critical path grow by closed recurrences, whose numbers are those that ``analyse`` counts
for chains of 12 and 24 links in general position; ``test_analysis.py`` checks that they are.

"""

from __future__ import annotations

import math

RECURSION_WORK, RECURSION_PATH = 708, 30
"""Operations, and steps of the critical path, that a link adds to the recursion."""
CYCLIC_WORK, CYCLIC_PATH = 1959, 44
"""Operations that a link adds to cyclic reduction; steps that a doubling of links adds."""
SHORTEST = 94
"""Steps of the critical path of cyclic reduction, less ``CYCLIC_PATH`` for each whole halving."""


def recursion(links: int) -> float:
    """Return the steps of the recursion on one processor."""
    return RECURSION_WORK * links


def cyclic_reduction(links: int, processors: int, communication: float = 0.0) -> float:
    """
    Return the steps of cyclic reduction, for a chain cut into equal stretches.

    A processor reduces its stretch; log2 p rounds inwards and as many outwards couple stretches,
    each with a message.

    Parameters
    ----------
    links, processors : int
        n, and p up to n.
    communication : float
        Steps that a message takes.

    Returns
    -------
    float
        Steps, Brent's bound: work over p plus the critical path, plus messages.

    """
    count = min(processors, links)
    path = SHORTEST + CYCLIC_PATH * math.log2(links) if count > 1 else 0.0
    return CYCLIC_WORK * links / count + path + 2.0 * communication * math.log2(count)


def break_even(links: int, communication: float = 0.0, most: int = 4096) -> int | None:
    """Return the processors from which cyclic reduction beats the recursion on one, or None."""
    for power in range(most.bit_length()):
        if cyclic_reduction(links, 2**power, communication) < recursion(links):
            return int(2**power)
    return None
