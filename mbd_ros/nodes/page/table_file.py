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

"""What the plots show as a file of comma-separated values."""

from __future__ import annotations

from collections.abc import Iterable
import csv
import io

from mbd_ros.nodes.page.live_plot import LivePlot, TIME


def csv_of(plots: Iterable[LivePlot]) -> str:
    """Return the samples of plots over time, a row for each time; blank where there is none."""
    kept = [(plot, dict(plot.samples)) for plot in plots if plot.samples and plot.across == TIME]
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(['time [s]', *(_safe(f'{plot.title}, {name} [{plot.unit}]')
                                   for plot, _ in kept for name in plot.names)])
    for time in sorted({time for _, samples in kept for time in samples}):
        row: list[object] = [repr(time)]
        for plot, samples in kept:
            row += samples.get(time, [''] * len(plot.names))
        writer.writerow(row)
    return file.getvalue()


def _safe(text: str) -> str:
    """Return a heading that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in ('=', '+', '-', '@', '\t', '\r') else text
