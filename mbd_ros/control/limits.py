"""Positions and velocities that the joints of a robot must not exceed."""

from __future__ import annotations

import numpy as np

from mbd_ros.model import Model
from mbd_ros.simulation.manifold import joint_of_each_velocity, Vector

MARGIN = 0.01
"""A measured position may exceed its limit by this before it counts [rad or m]: play, noise."""

SPEED_MARGIN = 1.5
"""A measured velocity may exceed its limit by this factor, which is for planned ones."""


class Limits:
    """
    The limits of a robot; joints with several coordinates have none.

    Parameters
    ----------
    model : Model
        The robot.

    """

    def __init__(self, model: Model) -> None:
        simple = [kind.is_simple for kind in model.joint_types]
        self._q = np.array([at for at, one in zip(model.q_offsets, simple) if one], dtype=np.intp)
        self._v = np.array([at for at, one in zip(model.v_offsets, simple) if one], dtype=np.intp)
        self._all = all(simple)
        lower, upper = model.lower[self._v], model.upper[self._v]
        top = model.velocity_limits[self._v]
        self._low = np.concatenate([lower, -top])
        self._high = np.concatenate([upper, top])
        margin = np.concatenate([np.full(len(lower), MARGIN), (SPEED_MARGIN - 1.0) * top])
        self._widened = self._low - margin, self._high + margin
        self._bounded = bool(np.isfinite(np.concatenate([self._low, self._high])).any())
        # Where one side is unlimited the way out is that to the other side.
        self._middle = np.where(np.isfinite(lower), np.where(
            np.isfinite(upper), 0.5 * (np.nan_to_num(lower) + np.nan_to_num(upper)), np.inf),
            -np.inf)
        names = joint_of_each_velocity(model)
        self._names = [names[at] for at in self._v]

    def exceeded(self, q: Vector, v: Vector, *, measured: bool = False) -> str:
        """
        Say which limit a state exceeds.

        Parameters
        ----------
        q, v : Vector
            State (nq,), (nv,).
        measured : bool, optional
            Whether it is a measured state, which is granted a margin, and the way back.

        Returns
        -------
        str
            Joint, what was found and what is allowed; empty if none is exceeded.

        """
        if not self._bounded:
            return ''
        state = np.concatenate((q, v) if self._all else (q[self._q], v[self._v]))
        low, high = self._widened if measured else (self._low, self._high)
        beyond = (state < low) | (state > high)
        if not beyond.any():
            return ''
        count = len(self._names)
        if measured:   # a joint that is on its way back may go on
            outward = np.where(state[:count] > self._middle, 1.0, -1.0)
            beyond[:count] &= outward * state[count:] > -1e-9
            if not beyond.any():
                return ''
        worst = int(np.argmax(beyond))
        what = 'position' if worst < count else 'velocity'
        return (f"{what} {state[worst]:.4g} of joint '{self._names[worst % count]}' is beyond its "
                f'limits, {self._low[worst]:.4g} to {self._high[worst]:.4g}')
