"""The joints a model is made of."""

from __future__ import annotations

from enum import Enum


class JointType(str, Enum):
    """
    How a body moves against its parent.

    Revolute joints turn about, prismatic joints slide along the z axis of the body's frame. URDF's
    ``continuous`` becomes ``REVOLUTE`` without position limits, ``fixed`` is merged away.
    """

    REVOLUTE = 'revolute'
    PRISMATIC = 'prismatic'
    FLOATING = 'floating'

    @property
    def nq(self) -> int:
        """Return the number of configuration coordinates."""
        return 7 if self is JointType.FLOATING else 1

    @property
    def nv(self) -> int:
        """Return the number of velocity coordinates."""
        return 6 if self is JointType.FLOATING else 1
