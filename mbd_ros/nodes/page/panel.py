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

"""The panel beside the scene: status, and tabs with plots, tables, controls and switches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import viser

from mbd_ros.messages.states.readouts import Entry
from mbd_ros.nodes.page.colors import css
from mbd_ros.nodes.page.drawings.drawing import Drawing
from mbd_ros.nodes.page.live_plot import LivePlot
from mbd_ros.nodes.page.plain_text import escaped, plain


class Panel:
    """
    What is beside the scene.

    Parameters
    ----------
    gui : viser.GuiApi
        Panel of the page.
    history : float
        Time span of the plots [s].

    Attributes
    ----------
    stop : viser.GuiButtonHandle
        The button that brings the robot to rest, always in sight.
    watch, joints, control, show, log : viser.GuiTabHandle
        The tabs, contexts in which more can be added to them.
    plots : list of LivePlot
        All plots.

    """

    def __init__(self, gui: viser.GuiApi, *, history: float) -> None:
        self._gui = gui
        self._history = history
        self._drawings: list[Drawing] = []
        self.plots: list[LivePlot] = []
        self._status = gui.add_html('')
        self.stop = gui.add_button('Stop', color='red', visible=False, hint=(
            'The controller brings the robot to rest and holds it.'))
        tabs = gui.add_tab_group()
        self.watch, self.joints = tabs.add_tab('Watch'), tabs.add_tab('Joints')
        self.control, self.show = tabs.add_tab('Control'), tabs.add_tab('Show')
        self.log = tabs.add_tab('Log')
        with self.watch:
            self._legend = gui.add_html('')
            self._folder = gui.add_folder('Details', expand_by_default=False, visible=False)
        with self._folder:
            self._details = gui.add_html('')
        with self.show:
            self.clear = gui.add_button('Clear traces and plots')
        self.set_status('waiting for a robot', {})

    def add_switch(self, drawing: Drawing) -> None:
        """Let a drawing be shown and hidden, and name its colour."""
        with self.show:
            switch = self._gui.add_checkbox(drawing.label, drawing.shown)

        def change(_: object) -> None:
            drawing.visible = bool(switch.value)
        switch.on_update(change)
        self._drawings.append(drawing)

    def add_plot(self, title: str, unit: str, axis: str, **settings: Any) -> LivePlot:
        """Add a plot; the arguments are those of ``LivePlot``."""
        with self.watch:
            plot = LivePlot(self._gui, title, unit, axis, history=self._history, **settings)
        self.plots.append(plot)
        return plot

    @staticmethod
    def label(text: str) -> str:
        """Return a text from outside as a label or choice of an input."""
        return plain(text)

    def set_status(self, title: str, rows: Mapping[str, str]) -> None:
        """Show a line of text and a table of readouts; any text may come from outside."""
        show(self._status, f'<b>{escaped(title)}</b>{table((), rows.items())}')

    def set_details(self, rows: Mapping[str, str]) -> None:
        """Show figures for those who look closer, in a folder that is collapsed at first."""
        show(self._details, table((), rows.items()))
        if self._folder.visible is not bool(rows):
            self._folder.visible = bool(rows)

    def reset(self) -> None:
        """Forget all samples."""
        for plot in self.plots:
            plot.reset()

    def redraw(self) -> None:
        """Send the legend and the plots to the browsers."""
        drawn = [one for one in self._drawings if one.active and one.visible]
        show(self._legend, ''.join(
            '<span style="display:inline-block;white-space:nowrap;margin-right:1em">'   # one line
            '<span style="display:inline-block;width:1.4em;height:0.3em;border-radius:0.15em;'
            f'margin:0 0.4em 0.2em 0;background:{css(one.color)}"></span>{one.label}</span>'
            for one in drawn))
        self._legend.visible = bool(drawn)
        for plot in self.plots:
            plot.redraw()


def table(heads: Sequence[Entry], rows: Iterable[Sequence[Entry]]) -> str:
    """
    Return a table as HTML; any text may come from outside.

    Names, in the first column, are broken where the panel is too narrow for all columns. An entry
    is a text, which is on one line, or several lines; those after the first are paler.
    """
    def cells(kind: str, row: Sequence[Entry]) -> str:
        return ''.join(
            f'<{kind} style="text-align:left;padding-right:0.5em'
            f'{"" if column else ";overflow-wrap:anywhere;min-width:4em"}">{_lines(one)}</{kind}>'
            for column, one in enumerate(row))
    head = f'<tr>{cells("th", heads)}</tr>' if heads else ''
    body = ''.join(f'<tr>{cells("td", row)}</tr>' for row in rows)
    return (f'<div style="overflow-x:auto"><table style="margin-top:0.4em">{head}{body}</table>'
            '</div>')


def _lines(entry: Entry) -> str:
    """Return the lines of an entry as HTML, those after the first paler."""
    first, *others = map(escaped, (entry,) if isinstance(entry, str) else entry)
    return first + ''.join(f'<br><span style="opacity:0.6">{line}</span>' for line in others)


def show(handle: viser.GuiHtmlHandle, content: str) -> None:
    """Show HTML that is safe, small; what is shown already is not sent again."""
    content = f'<div style="font-size:0.85em;padding:0.6em 1em 0.2em">{content}</div>'
    if handle.content != content:
        handle.content = content
