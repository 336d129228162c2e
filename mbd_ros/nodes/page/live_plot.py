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

"""A plot of what was seen last, against time or something else."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
import viser
from viser import uplot

from mbd_ros.nodes.page.colors import css, JOINTS, PLOT_GRID, PLOT_TEXT, Rgb
from mbd_ros.nodes.page.plain_text import plain

Matrix = NDArray[np.float64]

MOST_LINES = 24
"""Lines in one plot; with more, none could be told from the others."""

TIME = 'time [s]'

INTERVAL = 0.05
"""Least time between two samples [s]."""

PADDING = (12, 16, 0, 0)
HEIGHT = 215

WIDTHS = {False: 60, True: 80}
"""Of the vertical axis, linear and logarithmic, where ticks are up to 1,000,000."""


class LivePlot:
    """
    Lines over the last seconds, in a folder of their own that is there once there are samples.

    Parameters
    ----------
    gui : viser.GuiApi
        Panel of the page; the plot comes where its present container is.
    title : str
        What is plotted, without its unit.
    unit : str
        Unit of the samples.
    axis : str
        What the vertical axis shows, with the unit.
    history : float
        Time span [s].
    scaled : callable, optional
        From samples to what the axis shows.
    logarithmic : bool, optional
        Whether the axis is.
    colors : sequence of Rgb, optional
        Of the lines, taken in turn.
    expanded : bool, optional
        Whether the folder is open at first.
    across : str, optional
        What the horizontal axis shows, with the unit.

    """

    def __init__(self, gui: viser.GuiApi, title: str, unit: str, axis: str, *, history: float,
                 scaled: Callable[[Matrix], Matrix] | None = None, logarithmic: bool = False,
                 colors: Sequence[Rgb] = JOINTS, expanded: bool = True, across: str = TIME
                 ) -> None:
        self.title, self.unit, self.across = title, unit, across
        self.names: tuple[str, ...] = ()
        self.samples: deque[tuple[float, tuple[float, ...]]] = deque(
            maxlen=int(history / INTERVAL))
        self._gui = gui
        self._axis = axis
        self._scaled = scaled
        self._scale = uplot.Scale(distr=3, log=10) if logarithmic else uplot.Scale()
        self._width = WIDTHS[logarithmic]
        self._colors = colors
        self._drawn: tuple[str, ...] = ()
        self._plot: viser.GuiUplotHandle | None = None
        self._folder = gui.add_folder(title, expand_by_default=expanded, visible=False)

    def measure(self, unit: str, axis: str) -> None:
        """Plot in another unit from the next samples on."""
        if (unit, axis) != (self.unit, self._axis):
            self.unit, self._axis, self._drawn = unit, axis, ()
            self.reset()

    def add(self, time: float, values: Mapping[str, float]) -> None:
        """
        Take a sample; one that comes too soon after the last is left out.

        Parameters
        ----------
        time : float
            [s]; a step back, and other names, begin the plot anew.
        values : mapping of str to float
            The value of each line, by name.

        """
        names = tuple(values)
        if names != self.names or (self.samples and time < self.samples[-1][0]):
            self.reset()
            self.names = names
        if not self.samples or time - self.samples[-1][0] >= INTERVAL:
            self.samples.append((time, tuple(values.values())))

    def show(self, across: ArrayLike, lines: Mapping[str, ArrayLike]) -> None:
        """Show lines (K,) in place of all samples; there is no other history of them."""
        self.names = tuple(lines)
        rows = np.column_stack([np.asarray(values, float) for values in lines.values()])
        self.samples = deque(zip(np.asarray(across, float).tolist(), map(tuple, rows.tolist())))

    def reset(self) -> None:
        """Forget all samples."""
        self.samples.clear()

    def hide(self) -> None:
        """Take the plot away until samples come again."""
        self.reset()
        if self._folder.visible:
            self._folder.visible = False

    def redraw(self) -> None:
        """Send the plot to the browsers; lines that are zero all the time are left out."""
        if not self.samples or not self.names:
            return
        times = np.array([time for time, _ in self.samples])
        rows = np.array([values for _, values in self.samples]).T
        places = np.flatnonzero(rows.any(axis=1))[:MOST_LINES].tolist()
        if not places:
            return
        names = tuple(self.names[place] for place in places)
        shown = rows[places] if self._scaled is None else self._scaled(rows[places])
        data = (times, *shown.copy())
        if self._plot is not None and names == self._drawn:
            self._plot.data = data
            return
        self._drawn = names
        if self._plot is not None:
            self._plot.remove()
        with self._folder:
            self._plot = self._gui.add_uplot(
                data=data, height=HEIGHT, padding=PADDING, series=(uplot.Series(label='t'), *(
                    uplot.Series(label=plain(name), width=2,
                                 stroke=css(self._colors[place % len(self._colors)]))
                    for place, name in zip(places, names))),
                legend=uplot.Legend(live=False),   # else "t: --" where no mouse is
                scales={'x': uplot.Scale(time=False), 'y': self._scale},
                axes=(_axis(self.across, 32), _axis(self._axis, self._width)))
        self._folder.visible = True


def _axis(label: str, size: int) -> uplot.Axis:
    return uplot.Axis(
        label=label, size=size, labelSize=18, stroke=css(PLOT_TEXT),
        grid=uplot.Axis_Grid(stroke=css(PLOT_GRID), width=1),
        ticks=uplot.Axis_Ticks(stroke=css(PLOT_GRID), width=1, size=5))
