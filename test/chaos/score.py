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

"""What an area has tried and what failed, and the table of all areas."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
import random
import time

LONGEST_LINE = 300
MOST_FAILURES = 10
"""Of one area that it waits for; more would only take time."""


class AreaError(Exception):
    """An area cannot go on."""


@dataclass
class Score:
    """
    What one area has tried, and what failed.

    Attributes
    ----------
    area : str
        Its name.
    short : bool
        Whether to try only as much as a change has to pass.
    rng : random.Random
        All that is random in the area.
    folder : Path
        Where logs go; kept if anything failed.
    only : str
        Part of the names of kinds that are tried, in areas that try one after the other; empty:
        all.

    """

    area: str
    short: bool
    rng: random.Random
    folder: Path
    only: str = ''
    tried: int = 0
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def cases(self, short: int, long: int) -> int:
        """Return how many cases to try."""
        return short if self.short else long

    def fail(self, what: str) -> None:
        """Note a failure."""
        line = ' '.join(what.split())[:LONGEST_LINE]
        self.failures.append(line)
        print(f'  FAILED {self.area}: {line}', flush=True)

    def count(self, tried: int, failures: list[str]) -> None:
        """Add what something else has tried."""
        self.tried += tried
        for one in failures:
            self.fail(one)

    @contextmanager
    def trial(self, what: str, *, first: bool = False) -> Iterator[None]:
        """Count one trial; whatever is raised in it is its failure, and with the first the end."""
        self.tried += 1
        begin = time.monotonic()
        try:
            yield
        except AreaError:
            raise
        except Exception as error:   # an area goes on with its next trial
            self.fail(f'{what}: {type(error).__name__}: {error}')
            if first or len(self.failures) >= MOST_FAILURES:
                raise AreaError(what) from error
        else:
            print(f'  {self.area}: {what} ({time.monotonic() - begin:.1f} s)', flush=True)


Area = Callable[[Score], None]


def table(scores: list[Score]) -> str:
    """Return what was tried and what failed, by area, with the time each took."""
    width = max(len(one.area) for one in scores)
    lines = [f'{"area":{width}}   tried  failed  seconds']
    lines += [f'{one.area:{width}}  {one.tried:6d}  {len(one.failures):6d}  {one.seconds:7.1f}'
              for one in scores]
    lines.append(f'{"all":{width}}  {sum(one.tried for one in scores):6d}  '
                 f'{sum(len(one.failures) for one in scores):6d}  '
                 f'{sum(one.seconds for one in scores):7.1f}')
    return '\n'.join(lines)
