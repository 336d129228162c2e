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

"""Ctrl-C at random moments while robots are compiled for the first time."""

from __future__ import annotations

from interrupts import COLD_STARTS, interrupt, LONGEST, table, UP
from processes import launcher, starting
from score import Score


def run(score: Score) -> None:
    """Start every launch with an empty cache and interrupt it, the long form four times each."""
    rows = []
    for turn in range(score.cases(1, 4)):
        for name, arguments in COLD_STARTS.items():
            folder = score.folder / f'{len(rows)}'
            folder.mkdir()
            delay = score.rng.uniform(UP, LONGEST)
            for start in starting(folder):
                with score.trial(f'{name}, turn {turn}: Ctrl-C after {delay:.2f} s'):
                    launched = launcher(start)(*arguments, environment={
                        'MBD_ROS_CACHE': str(folder / 'cache')})
                    found = interrupt(launched, delay)
                    rows.append((name, delay, found))
                    assert not found.wrong(), '; '.join(found.wrong())
    print('\n'.join(table(rows)), flush=True)
