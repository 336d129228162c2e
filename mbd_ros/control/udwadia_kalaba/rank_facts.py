"""
What machine code reports of a system it has solved, and when its rank is beyond doubt.

What ``small_systems``, ``reached_systems`` and ``loop_systems`` write ends with ``FACTS`` numbers.
Where these are not clear the general form, ``udwadia_kalaba.py``, decides.
"""

from __future__ import annotations

from collections.abc import Sequence

from mbd_ros.control.references.scalars import all_positive, Row, smallest
from mbd_ros.spatial import Scalar

CLEARLY_REGULAR = 1e-8
"""Squared fraction of a row, or of a pivot of M, that has to be independent of those before. With
less (an angle of 1e-4), rounding would be felt, and the rank is worth a closer look."""
RANK, KEPT, DROPPED, CONFLICT, PIVOT = 0, 1, 2, 3, 4
"""Places in ``facts``: number of independent rows; smallest squared part of a row that was kept,
largest that was dropped; largest residual of a row in its own scale; smallest pivot of M, as a
part of its diagonal entry."""
FACTS = 5
CLEARLY_DEPENDENT = 1e-22
"""Squared part of a row, left of those before, below which it is rounding: 1e-11 of its length."""
CLEARLY_FREE = 1e-6
"""Squared part below which it takes a closer look whether drives catch a motion of loops, or
loops leave one (``loop_rank.RANK``, ``loop_efforts.UNDRIVEN``)."""


def gaps(facts: Sequence[Scalar], least: float) -> Row:
    """Return what is positive where a rank is beyond doubt; see ``clear``."""
    return [facts[KEPT] - least, facts[PIVOT] - CLEARLY_REGULAR,
            CLEARLY_DEPENDENT - facts[DROPPED]]


def clear(facts: Sequence[float], least: float) -> bool:
    """Return whether a rank is beyond doubt, where ``least`` is the smallest part of a row."""
    return all_positive(gaps(facts, least))


def no_facts() -> Row:
    """Return the facts of a system without rows."""
    facts: Row = [0.0] * FACTS
    facts[KEPT] = facts[PIVOT] = 1.0
    return facts


def gathered(facts: Sequence[Sequence[Scalar]]) -> Row:
    """Return the least or largest of all facts, but rank and conflict of the first."""
    return [facts[0][RANK], smallest([one[KEPT] for one in facts]),
            -smallest([-one[DROPPED] for one in facts]), facts[0][CONFLICT],
            smallest([one[PIVOT] for one in facts])]
