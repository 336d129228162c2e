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

"""Which joint states are those of the robot, where others publish on the topic, too."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from enum import Enum
import statistics
import time

from mbd_ros.messages.fields.times import SECOND

FEW = 5
"""States by which a stamp may be ahead: so many may have been lost on their way."""
PATIENCE = 0.05
"""Least time without states that fit, after which one that does not is believed [s]."""
KNOWN = 9
"""Intervals of which the median is taken, so that four wrong ones change nothing."""


class Look(Enum):
    """What to do with a joint state."""

    TAKE = 'take'
    PASS = 'pass'       # too early for its control period, or overtaken on its way
    SENDER = 'sender'   # another node's
    STAMP = 'stamp'     # its stamp does not go on from those before


class StateStream:
    """
    Tells the joint states of one robot from those of others, by who sends them and by stamps.

    The states of one publisher are taken, as long as they come. Where the client library does not
    say who has sent a message (rclpy before 10), and where one publisher sends the states of
    several, stamps tell: a state whose stamp is far from where the stream is is believed only when
    none has come that fits, for as long as a few states take. What was believed wrongly is
    corrected in the same way, by the robot's own states.

    Parameters
    ----------
    period : int
        Control period [ns]; states that come sooner are passed over.
    lockstep : bool
        Whether each state comes again until it is answered, the next one only then.
    overtaken : int
        By how much a state may be late without a word [ns].
    clock : callable, optional
        Returns a time that does not go back [s].
    usual : int, optional
        Interval between states that is expected until some were heard [ns]; the control period if
        not given.

    Attributes
    ----------
    robots : frozenset of bytes
        Publishers of nodes that take our commands: their states come before those of others.

    """

    def __init__(self, period: int, lockstep: bool, overtaken: int,
                 clock: Callable[[], float] = time.monotonic, *, usual: int | None = None) -> None:
        self._period, self._lockstep, self._overtaken = period, lockstep, overtaken
        self._clock = clock
        self._steps = deque([period if usual is None else usual], maxlen=KNOWN)
        self._gaps: deque[float] = deque(maxlen=KNOWN)
        self.robots: frozenset[bytes] = frozenset()
        self.reset()

    def reset(self) -> None:
        """Take whatever comes next."""
        self.stamp: int | None = None
        self.sender: bytes | None = None
        self._from: bytes | None = None
        self._looked = self._heard = 0.0
        self._behind: int | None = None
        self._far: int | None = None

    def look(self, stamp: int, sender: bytes | None = None) -> Look:
        """
        Tell what to do with a joint state.

        Parameters
        ----------
        stamp : int
            Its stamp [ns].
        sender : bytes, optional
            GID of its publisher, where that is known.

        """
        self._from, self._looked = sender, self._clock()
        if self.stamp is None:
            return Look.TAKE
        silent = self._looked - self._heard
        usual = statistics.median(self._gaps) if len(self._gaps) > KNOWN // 2 else 0.0
        alone = silent >= max(PATIENCE, 3.0 * usual)
        if sender != self.sender and sender is not None and self.sender is not None:
            better = (sender in self.robots) - (self.sender in self.robots)
            if better > 0:
                self.sender = sender
                return Look.TAKE
            if better < 0 or not alone:
                return Look.SENDER
        few = FEW * statistics.median(self._steps)
        if sender is not None and sender == self.sender:   # a busy machine loses as many
            few = max(few, PATIENCE * SECOND)
        ahead = stamp - self.stamp
        if ahead == 0:   # it comes again, perhaps from another, who is believed from now on
            self._heard, self.sender = self._looked, sender
        if 0 <= ahead <= few + silent * SECOND:
            early = 0 < ahead < 0.9 * self._period
            return Look.PASS if early and not self._lockstep else Look.TAKE
        if -few <= ahead < 0:
            return self._look_behind(stamp)
        again, self._far = self._lockstep and stamp == self._far, stamp
        if again or alone:
            return Look.TAKE
        return Look.PASS if -self._overtaken <= ahead < 0 else Look.STAMP

    def _look_behind(self, stamp: int) -> Look:
        """
        Tell whether a state that is a little older than the one before is to be taken.

        In lockstep none can be overtaken; without it one, but not a second, newer one: that is
        the robot, and the state before was somebody else's.
        """
        before, self._behind = self._behind, stamp
        newer = before is not None and before < stamp
        return Look.TAKE if self._lockstep or newer else Look.PASS

    def used(self, stamp: int) -> None:
        """Go on from the state with this stamp [ns], which was looked at last."""
        if self.stamp is not None and stamp > self.stamp:
            self._steps.append(stamp - self.stamp)
            self._gaps.append(self._looked - self._heard)
        self.stamp, self.sender, self._heard = stamp, self._from, self._looked
        self._behind = self._far = None
