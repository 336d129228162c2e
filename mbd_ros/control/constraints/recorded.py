"""
Constraints written on scalars: their rows become part of the machine code of a control step.

Such a constraint says which kernels of the robot it needs, what of it changes with time, and how
its rows follow from both. What is recorded is the mathematics of its four functions, once.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import NamedTuple, Protocol, runtime_checkable, TypeAlias

from mbd_ros.control.references.scalars import Row
from mbd_ros.control.references.time_code import TimeCode
from mbd_ros.simulation.manifold import Matrix, Vector

Quantity: TypeAlias = tuple[str, str]
"""Function of prepared dynamics and a link: ``('jacobian', 'tool')``, ``('motion', 'tool')``."""


class Rows(NamedTuple):
    """
    Rows of a constraint at one state, on scalars.

    ``phi`` and ``phi_dot`` (or ``psi``) of the first rows, ``A`` and ``b``.
    """

    violation: Row
    rate: Row
    matrix: list[Row]
    right_side: Row


class Known(NamedTuple):
    """
    What rows are made of, on scalars.

    The state q (nq,), v (nv,); what the kernels of the robot gave, flat; what changes with time,
    as ``Recorded.reference`` returns it.
    """

    q: Row
    v: Row
    of_links: Mapping[Quantity, Row]
    reference: list[Row]


@runtime_checkable
class Recorded(Protocol):
    """
    A constraint that can be recorded.

    Constraints of equal ``structure`` differ in their reference alone and share machine code.
    """

    @property
    def structure(self) -> Hashable:
        """Return what the machine code depends on."""
        ...

    @property
    def counts(self) -> tuple[int, int, int]:
        """Return the numbers of rows with ``phi``, with ``phi_dot``, and of all."""
        ...

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """Return which kernels of the robot are needed."""
        ...

    @property
    def reference_sizes(self) -> tuple[int, ...]:
        """Return the lengths of the reference's vectors."""
        ...

    def reference(self, t: float) -> tuple[Vector, ...]:
        """Return what changes with time [s]."""
        ...

    def time_codes(self) -> tuple[TimeCode, ...] | None:
        """
        Return machine code for the reference.

        Its results, one behind the other, are the vectors that ``reference`` returns, one behind
        the other. None where a user's class is asked for them.
        """
        ...

    def rows(self, known: Known) -> Rows:
        """Return the rows at a state."""
        ...


@runtime_checkable
class Fading(Protocol):
    """A constraint that is reached by a planned way: ``phi = s(t)``."""

    @property
    def constraint(self) -> object:
        """Return what is to hold in the end."""
        ...

    def fade(self, t: float) -> Matrix:
        """Return s, its rate and second rate (3, rows) at a time, zero at last."""
        ...

    def fade_code(self) -> TimeCode | None:
        """Return machine code for ``fade``, row by row (3 rows,); None without rows."""
        ...


class Structure:
    """A constraint that equals all others of its structure."""

    def __init__(self, constraint: Recorded) -> None:
        self.constraint = constraint

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, Structure)
                and self.constraint.structure == other.constraint.structure)

    def __hash__(self) -> int:
        return hash(self.constraint.structure)
