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
Rank report of the compiled solvers, and the thresholds for using their result.

Results of ``small_systems``, ``underactuated_loops`` and ``loop_systems`` end with ``FACTS``
numbers. If a rank is not clear from these, the dense fallback for ill-conditioned constraints
(``equation.py``) is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mbd_ros.control.references.scalars import all_positive, Row, smallest
from mbd_ros.spatial import Scalar
from mbd_ros.spatial.rank_thresholds import CLEARLY_DEPENDENT, CLEARLY_REGULAR

RANK, KEPT, DROPPED, CONFLICT, PIVOT = 0, 1, 2, 3, 4
"""Places in ``facts``: number of independent rows; smallest squared part of a row that was kept,
largest that was dropped; largest residual of a row in its own scale; smallest pivot of M, as a
part of its diagonal entry."""
FACTS = 5


def gaps(facts: Sequence[Scalar], least: float) -> Row:
    """Return margins that are all positive where the rank is clear; see ``clear``."""
    return [facts[KEPT] - least, facts[PIVOT] - CLEARLY_REGULAR,
            CLEARLY_DEPENDENT - facts[DROPPED]]


def clear(facts: Sequence[float], least: float) -> bool:
    """Return whether the rank is clear; ``least`` is the smallest squared part of a row."""
    return all_positive(gaps(facts, least))


def empty_rank_report() -> Row:
    """Return the facts of a system without rows."""
    facts: Row = [0.0] * FACTS
    facts[KEPT] = facts[PIVOT] = 1.0
    return facts


def gathered(facts: Iterable[Iterable[Scalar]]) -> Row:
    """Return the least or largest of all facts, but rank and conflict of the first."""
    every = [list(one) for one in facts]
    return [every[0][RANK], smallest([one[KEPT] for one in every]),
            -smallest([-one[DROPPED] for one in every]), every[0][CONFLICT],
            smallest([one[PIVOT] for one in every])]
