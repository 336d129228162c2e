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

"""What nodes say, as a list on a tab of its own."""

from __future__ import annotations

from collections.abc import Iterable

import viser

from mbd_ros.messages.states.reports import clock_of, Report
from mbd_ros.nodes.page.colors import css, TRACED, VIOLATION
from mbd_ros.nodes.page.panel import show
from mbd_ros.nodes.page.plain_text import escaped

MOST = 60
"""Reports that are shown."""

LONGEST = 600
"""Characters of a report that are shown."""

COLORS = {'warning': VIOLATION, 'error': TRACED}


class LogList:
    """
    The newest reports first.

    Parameters
    ----------
    gui : viser.GuiApi
        Panel of the page; the list comes where its present container is.

    """

    def __init__(self, gui: viser.GuiApi) -> None:
        self._list = gui.add_html('')
        self.show(())

    def show(self, reports: Iterable[Report]) -> None:
        """Show reports; any text in them may come from outside."""
        rows = ''.join(_row(one) for one, _ in zip(reports, range(MOST)))
        show(self._list, rows or 'No node has said anything since the page was opened.')


def _row(report: Report) -> str:
    color = COLORS.get(report.level)
    edge = 'transparent' if color is None else css(color)
    times = f' ({report.times} times)' if report.times > 1 else ''
    level = '' if color is None else f'{report.level} · '
    return (f'<div style="border-left:0.25em solid {edge};padding-left:0.5em;'
            f'margin-bottom:0.4em;overflow-wrap:anywhere">'
            f'<span style="opacity:0.6">{escaped(clock_of(report))} · {level}'
            f'{escaped(report.node)}{times}</span><br>{escaped(report.text, LONGEST)}</div>')
