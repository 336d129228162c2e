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


"""Verdicts as a table, and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
import json
import re

from mbd_ros.cli.comparison.format_round_trip import Written
from mbd_ros.cli.comparison.verdict import (
    BY_BOTH, EQUAL, FAILED, NOT_EQUAL, REFUSED, UNCOMPARED, Verdict)

STATUSES = (EQUAL, NOT_EQUAL, FAILED, REFUSED, BY_BOTH, UNCOMPARED)

_PLACE = re.compile(r'^\S*?:(\d+: )?\s*|^[^:]* \(expanded\):(\d+: )?\s*')
_AMID = re.compile(r'(?<=: )\S+:\d+: ')
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|-?\d[\d.e+-]*")
_MOST = 25


def line_of(verdict: Verdict) -> str:
    """Return what is said of one file."""
    figures = '' if verdict.figure is None else f' ({verdict.figure:.1e})'
    if verdict.compiled is not None:
        figures += f', machine code {verdict.compiled:.1e}'
    return f'{verdict.file}: {verdict.status}{figures}' + (
        f': {verdict.reason}' if verdict.reason else '')


def json_of(verdict: Verdict) -> str:
    """Return a verdict as one line of JSON."""
    return json.dumps(asdict(verdict))


def of_json(line: str) -> Verdict:
    """
    Return the verdict that ``json_of`` wrote.

    Raises
    ------
    ValueError
        If it wrote another text.

    """
    try:
        fields = json.loads(line)
        fields['written'] = tuple(Written(*part) for part in fields['written'])
        return Verdict(**fields)
    except (TypeError, KeyError) as error:
        raise ValueError(f'{error} in {line[:80]!r}') from None


def table(verdicts: Sequence[Verdict]) -> str:
    """Return counts by format and source as a table, and then reasons by their number."""
    rows: list[tuple[str, ...]] = [
        ('format', 'source', 'files', *STATUSES, 'largest difference'), ('---',) * 10]
    groups = sorted({(one.format, one.source) for one in verdicts})
    for group in groups:
        rows.append(_row(group, [one for one in verdicts if (one.format, one.source) == group]))
    if len(groups) > 1:
        rows.append(_row(('all', ''), verdicts))
    lines = ['| ' + ' | '.join(row) + ' |' for row in rows]
    lines += _written(verdicts)
    for status in STATUSES[1:]:
        reasons = Counter(kind_of(one.reason) for one in verdicts if one.status == status)
        if reasons:
            lines += ['', f'{status}:', *(
                f'{count:5d}  {reason}' for reason, count in reasons.most_common(_MOST))]
            if len(reasons) > _MOST:
                lines.append(f'       and {len(reasons) - _MOST} other reasons')
    return '\n'.join(lines)


def _written(verdicts: Sequence[Verdict]) -> list[str]:
    """Return what came of robots by way of other formats: a line for each format and reader."""
    parts = [part for one in verdicts for part in one.written]
    lines = []
    for form, reader in dict.fromkeys((part.form, part.reader) for part in parts):
        own = [part for part in parts if (part.form, part.reader) == (form, reader)]
        figures = [part.figure for part in own if part.figure is not None]
        lines += [f'written as {form}, read by {reader}: {len(figures)} of {len(own)} compared, '
                  f'largest difference {max(figures, default=0.0):.0e}', *(
                      f'{count:5d}  {reason}' for reason, count in Counter(
                          kind_of(part.reason) for part in own if part.figure is None
                      ).most_common(_MOST))]
    return ['', *lines] if lines else []


def _row(group: tuple[str, str], verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    counts = Counter(one.status for one in verdicts)
    figures = [one.figure for one in verdicts if one.figure is not None]
    return (*group, str(len(verdicts)), *(str(counts[status]) for status in STATUSES),
            f'{max(figures):.0e}' if figures else '')


def kind_of(reason: str) -> str:
    """Return a reason without the names and numbers of one file."""
    return _QUOTED.sub('...', _AMID.sub('', _PLACE.sub('', reason)))[:150]
