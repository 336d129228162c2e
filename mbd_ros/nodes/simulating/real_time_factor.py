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

"""Keep simulated time at a given rate of wall-clock time."""

from __future__ import annotations

import time


class RealTimeFactor:
    """
    Waits until it is time for a simulated instant.

    Parameters
    ----------
    factor : float
        Simulated seconds per second; 0: never wait.
    largest_lag : float
        Lag behind the wall that is made up by hurrying [s]; a larger one is given up.

    """

    def __init__(self, factor: float, largest_lag: float) -> None:
        self.factor = factor
        self.largest_lag = largest_lag
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
        if -lead < self.largest_lag:
            return 0.0
        self.given_up -= lead
        self.restart(simulated)
        return -lead
