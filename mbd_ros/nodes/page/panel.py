"""The panel beside the scene: readouts, plots and what to show."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

import numpy as np
import viser
from viser import uplot

from mbd_ros.nodes.page.colors import (
    css, DESIRED, FORCE, JOINTS, MANIFOLD, PLOT_GRID, PLOT_TEXT, Rgb, TRACED, VIOLATION)
from mbd_ros.nodes.page.plain_text import escaped, plain

SMALLEST = 1e-4
"""Errors below this are drawn at it: the axis is logarithmic [mm]."""

LEAST_VIOLATION = 1e-16
"""The same for the violation of the nominal model, in the units of its constraints."""

MOST_JOINTS = 24
"""Joints whose efforts are drawn; with more, no line could be told from the others."""

PADDING = (12, 16, 0, 0)

LEGEND = ''.join(
    f'<span style="display:inline-block;width:1.4em;height:0.3em;border-radius:0.15em;'
    f'margin:0 0.4em 0.2em 0;background:{css(color)}"></span>{name}&emsp;'
    for name, color in (('desired path', DESIRED), ('traced path', TRACED),
                        ('constraint force', FORCE), ('surface', MANIFOLD),
                        ('violation', VIOLATION)))


class Panel:
    """
    Readouts, the live plots and the switches.

    Parameters
    ----------
    gui : viser.GuiApi
        Panel of the page.
    history : float
        Time span of the plots [s].
    interval : float, optional
        Time between two points of a plot [s].

    """

    def __init__(self, gui: viser.GuiApi, *, history: float, interval: float = 0.05) -> None:
        self._gui = gui
        self._interval = interval
        count = int(history / interval)
        self._times: deque[float] = deque(maxlen=count)
        self._errors: deque[float] = deque(maxlen=count)
        self._efforts: deque[tuple[float, ...]] = deque(maxlen=count)
        self._violations: deque[tuple[float, float]] = deque(maxlen=count)
        self._energies: deque[float] = deque(maxlen=count)
        self._joints: tuple[str, ...] = ()
        self._drawn: tuple[str, ...] = ()
        self._effort_plot: viser.GuiUplotHandle | None = None
        self._legend = gui.add_html(
            f'<div style="font-size:0.85em;padding:0.6em 1em 0.2em">{LEGEND}</div>')
        self._status = gui.add_html('')
        self.set_status('waiting for a robot', {})
        self._error_plot = gui.add_uplot(
            data=(np.zeros(1), np.ones(1)), title='Tracking error', height=250,
            series=(_series('t'), _series('tool to desired point [mm]', TRACED)),
            scales={'x': uplot.Scale(time=False), 'y': uplot.Scale(distr=3, log=10)},
            axes=(_axis('path time [s]', 32), _axis('distance [mm]', 56)), padding=PADDING)
        self._plots = gui.add_folder('Joint efforts')
        violation = gui.add_folder('Constraint violation of the nominal model')
        with violation:
            self._violation_plot = gui.add_uplot(
                data=(np.zeros(1), np.ones(1), np.ones(1)), height=200, padding=PADDING,
                series=(_series('t'), _series('before elimination [m or rad]', TRACED),
                        _series('after', DESIRED)),
                scales={'x': uplot.Scale(time=False), 'y': uplot.Scale(distr=3, log=10)},
                axes=(_axis('path time [s]', 32), _axis('violation', 56)))
        energy = gui.add_folder('Energy')
        with energy:
            self._energy_plot = gui.add_uplot(
                data=(np.zeros(1), np.zeros(1)), height=200, padding=PADDING,
                series=(_series('t'), _series('kinetic and potential [J]', FORCE)),
                scales={'x': uplot.Scale(time=False)},
                axes=(_axis('path time [s]', 32), _axis('energy [J]', 56)))
        switches = gui.add_folder('Show', expand_by_default=False)
        with switches:
            self.show_desired = gui.add_checkbox('desired path', True)
            self.show_traced = gui.add_checkbox('traced path', True)
            self.show_force = gui.add_checkbox('constraint force', True)
            self.show_manifold = gui.add_checkbox('surfaces and violation', True)
            self.clear = gui.add_button('Clear traced path and plots')
        self._of_controller = (self._legend, self._error_plot, self._plots, violation, energy,
                               switches)
        self._controlled = True
        self.show_controller(False)

    def show_controller(self, there: bool) -> None:
        """Show what is about a controller, or hide it where there is none."""
        if there != self._controlled:
            self._controlled = there
            for handle in self._of_controller:
                handle.visible = there

    def set_status(self, title: str, rows: Mapping[str, str]) -> None:
        """Show a line of text and a table of readouts; any text may come from outside."""
        lines = ''.join(f'<tr><td style="padding-right:1em">{escaped(name)}</td>'
                        f'<td>{escaped(value)}</td></tr>' for name, value in rows.items())
        content = (f'<div style="font-size:0.85em;padding:0.6em 1em 0.2em"><b>{escaped(title)}</b>'
                   f'<table style="margin-top:0.4em">{lines}</table></div>')
        if self._status.content != content:
            self._status.content = content

    def add_sample(self, time: float, error: float, joints: Sequence[str],
                   efforts: Sequence[float], violations: tuple[float, float] = (0.0, 0.0),
                   energy: float = 0.0) -> None:
        """
        Take a sample for the plots; those that come too soon after the last are left out.

        Parameters
        ----------
        time : float
            Time along the path [s]; a step back begins the plots anew.
        error : float
            Distance of the tool, or of the farthest one, from its desired point [m].
        joints : sequence of str
            Names of the joints.
        efforts : sequence of float
            Their efforts [N m or N]; a sample that has others than one for each is left out.
        violations : (float, float), optional
            Of the nominal model, before and after the elimination.
        energy : float, optional
            Of the robot [J].

        """
        if tuple(joints) != self._joints or (self._times and time < self._times[-1]):
            self.reset()
            self._joints = tuple(joints)
        if len(efforts) != len(joints) or (
                self._times and time - self._times[-1] < self._interval):
            return
        self._times.append(time)
        self._errors.append(max(1e3 * error, SMALLEST))
        self._efforts.append(tuple(efforts))
        self._violations.append((max(violations[0], LEAST_VIOLATION),
                                 max(violations[1], LEAST_VIOLATION)))
        self._energies.append(energy)

    def reset(self) -> None:
        """Forget all samples."""
        self._times.clear()
        self._errors.clear()
        self._efforts.clear()
        self._violations.clear()
        self._energies.clear()

    def redraw(self) -> None:
        """Send the plots to the browsers."""
        if not self._times:
            return
        times = np.array(self._times)
        self._error_plot.data = (times, np.array(self._errors))
        self._violation_plot.data = (times, *np.array(self._violations).T.copy())
        self._energy_plot.data = (times, np.array(self._energies))
        rows = np.array(self._efforts).T.copy()
        driven = np.flatnonzero(rows.any(axis=1))[:MOST_JOINTS].tolist()   # not the passive joints
        names = tuple(self._joints[joint] for joint in driven)
        efforts = (times, *rows[driven])
        plot = self._effort_plot
        if plot is not None and names == self._drawn:
            plot.data = efforts
            return
        self._drawn = names
        if plot is not None:
            plot.remove()
        with self._plots:
            self._effort_plot = self._gui.add_uplot(
                data=efforts, height=230, padding=PADDING,
                series=(_series('t'), *(
                    _series(plain(name), JOINTS[index % len(JOINTS)])
                    for index, name in enumerate(names))),
                scales={'x': uplot.Scale(time=False)},
                axes=(_axis('path time [s]', 32), _axis('effort [N m or N]', 56)))


def _axis(label: str, size: int) -> uplot.Axis:
    return uplot.Axis(
        label=label, size=size, labelSize=18, stroke=css(PLOT_TEXT),
        grid=uplot.Axis_Grid(stroke=css(PLOT_GRID), width=1),
        ticks=uplot.Axis_Ticks(stroke=css(PLOT_GRID), width=1, size=5))


def _series(label: str, color: Rgb | None = None) -> uplot.Series:
    if color is None:
        return uplot.Series(label=label)
    return uplot.Series(label=label, stroke=css(color), width=2)
