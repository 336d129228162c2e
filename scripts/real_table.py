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

"""
The table of a run of the node tests on a real rclpy: ``scripts/real_table.py JUNIT.xml [DISTRO]``.

It stands in docs/real_rclpy.md, between two comments of its own for each distribution of ROS 2;
``make real`` writes it anew.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import datetime, timezone
import os
from pathlib import Path
import sys
from xml.etree import ElementTree

PAGE = Path(__file__).resolve().parents[1] / 'docs' / 'real_rclpy.md'
BEGIN, END = '<!-- made by make real{} -->\n', '<!-- until here -->\n'
OUTCOMES = {'failure': 'failed', 'error': 'failed', 'skipped': 'skipped'}


def table(report: Path) -> str:
    """Return the table of a run, a row for each file, from its report in JUnit's form."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    seconds: Counter[str] = Counter()
    named: dict[str, list[str]] = defaultdict(list)
    for case in ElementTree.parse(report).iter('testcase'):
        place = f'{case.get("classname")}.{case.get("name")}'   # a name may be that of a file
        file = next((part for part in place.split('.') if part.startswith('test_')), None)
        if file is None:   # where the run was interrupted
            continue
        found = [OUTCOMES[part.tag] for part in case if part.tag in OUTCOMES]
        outcome = found[0] if found else 'passed'
        counts[file][outcome] += 1
        seconds[file] += round(float(case.get('time', 0.0)))
        if found:
            named[file].append(f'`{case.get("name")}` {outcome}')
    rows = ['| file | passed | failed | skipped | seconds | |', '|---|---|---|---|---|---|']
    for file, count in sorted(counts.items()):
        numbers = ' | '.join(str(count[name]) for name in ('passed', 'failed', 'skipped'))
        rows.append(f'| `{file}` | {numbers} | {seconds[file]} | {", ".join(named[file])} |')
    total = sum(counts.values(), Counter())
    lines = '\n'.join(rows)
    return (f'{total["passed"]} passed, {total["failed"]} failed, {total["skipped"]} skipped in '
            f'{seconds.total()} s, on {datetime.now(timezone.utc):%d %B %Y}, with a load of '
            f'{os.getloadavg()[2]:.0f} on {os.cpu_count()} processors:\n\n{lines}\n')


def begin(distro: str = 'kilted') -> str:
    """Return the comment before the table of a distribution."""
    return BEGIN.format('' if distro == 'kilted' else f' DISTRO={distro}')


def main() -> None:
    """Write the table of a report into the page."""
    mark = begin(*sys.argv[2:])
    before, found, rest = PAGE.read_text().partition(mark)
    if not found:
        raise SystemExit(f'{PAGE} has no line {mark}')
    after = rest.partition(END)[2]
    PAGE.write_text(before + mark + '\n' + table(Path(sys.argv[1])) + '\n' + END + after)


if __name__ == '__main__':
    main()
