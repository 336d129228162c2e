"""A frame fixed to a body."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class LinkFrame(NamedTuple):
    """Where a frame F, of a link or joint, sits on ``body`` B (-1: the ground): R_BF, p_BoFo_B."""

    body: int
    rotation: NDArray[np.float64]
    translation: NDArray[np.float64]
