"""Keeping simulated time beside the clock on the wall."""

from __future__ import annotations

import time

LARGEST_LAG = 0.05
"""Lag behind the wall that is caught up by hurrying [s]; a larger one is given up."""


class Pace:
    """
    Waits until it is time for a simulated instant.

    Parameters
    ----------
    factor : float
        Simulated seconds per second; 0: never wait.

    """

    def __init__(self, factor: float) -> None:
        self.factor = factor
        self.given_up = 0.0
        self._begin = time.monotonic()
        self._from = 0.0

    def restart(self, simulated: float) -> None:
        """Let a simulated instant [s] be now."""
        self._begin = time.monotonic()
        self._from = simulated

    def wait_for(self, simulated: float) -> float:
        """
        Wait until a simulated instant.

        Parameters
        ----------
        simulated : float
            The instant [s].

        Returns
        -------
        float
            Time that was given up because the wall clock is too far ahead [s], mostly zero.

        """
        if self.factor <= 0.0:
            return 0.0
        lead = self._begin + (simulated - self._from) / self.factor - time.monotonic()
        if lead > 0.0:
            time.sleep(lead)
            return 0.0
        if -lead < LARGEST_LAG:
            return 0.0
        self.given_up -= lead
        self.restart(simulated)
        return -lead
