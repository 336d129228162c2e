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

"""Drawings and plots of the page: what they send to browsers."""

from types import SimpleNamespace

import numpy as np
import pytest
from transforms3d.quaternions import quat2mat

import mbd_ros
from mbd_ros.nodes.page.drawings.arrows import ConstraintForces, LONGEST
from mbd_ros.nodes.page.drawings.bending import Bending
from mbd_ros.nodes.page.drawings.paths import DesiredPaths
from mbd_ros.nodes.page.drawings.traces import Traces
from mbd_ros.nodes.page.live_plot import LivePlot, MOST_LINES
from mbd_ros.nodes.page.scales import changes, LEAST, millimetres, powers_of_ten, SMALLEST


class Scene:
    """Keeps what is shown, by name."""

    def __init__(self):
        self.shown = {}

    def __getattr__(self, kind):
        def add(name, *values, **settings):
            handle = SimpleNamespace(name=name, points=values[0] if values else None,
                                     remove=lambda: self.shown.pop(name), **settings)
            self.shown[name] = handle
            return handle
        return add


def ends(handle):
    """Return where an arrow begins and ends in the scene (2, 3)."""
    return handle.position + handle.points[0] @ quat2mat(handle.wxyz).T


class Gui:
    """Keeps the plots, and folders that are contexts."""

    def __init__(self):
        self.plots = []

    def add_folder(self, title, **settings):
        class Folder(SimpleNamespace):
            def __enter__(self):
                return self

            def __exit__(self, *_):
                return None
        self.folder = Folder(title=title, **settings)
        return self.folder

    def add_uplot(self, **settings):
        plot = SimpleNamespace(remove=lambda: self.plots.remove(plot), **settings)
        self.plots.append(plot)
        return plot


def test_a_force_that_vanishes_leaves_no_arrow():
    """A browser goes on showing one whose length becomes zero."""
    scene = Scene()
    forces = ConstraintForces(scene)
    forces.show([(np.zeros(3), np.zeros(3))])
    assert not forces.active
    for _ in range(2):
        forces.show([(np.ones(3), np.array([0.0, 0.5, 0.0]))])
        forces.redraw()
        assert ends(scene.shown['/constraint_force/0']) == pytest.approx(
            np.array([[1.0, 1.0, 1.0], [1.0, 1.5, 1.0]]))
        assert forces.active
        forces.show([(np.ones(3), np.zeros(3))])
        assert list(scene.shown) == ['/constraint_force'] and not forces.active


def test_arrows_are_finite_and_bounded():
    scene = Scene()
    forces = ConstraintForces(scene)
    forces.show([(np.zeros(3), np.array([0.0, 0.0, bad])) for bad in (np.nan, np.inf)])
    assert not forces.active
    forces.show([(np.zeros(3), np.array([0.0, 0.0, 1e300]))])
    assert ends(scene.shown['/constraint_force/0'])[1].tolist() == [0.0, 0.0, LONGEST]


@pytest.mark.parametrize('way', [(0.3, 0.0, 0.0), (0.0, 0.0, -0.2), (-0.1, 0.2, 0.3)])
def test_arrows_follow_at_once_and_grow_with_the_next_redraw(way):
    scene = Scene()
    forces = ConstraintForces(scene)
    forces.show([(np.zeros(3), np.array([0.0, 0.0, 0.1]))])
    forces.show([(np.array([1.0, 2.0, 3.0]), np.array(way))])
    handle = scene.shown['/constraint_force/0']
    assert handle.points[0, 1, 2] == np.float32(0.1)
    forces.redraw()
    # Single precision, as browsers draw.
    assert ends(handle)[1] == pytest.approx(np.array([1.0, 2.0, 3.0]) + way, rel=1e-6)


def test_a_trace_grows_by_points_that_are_apart():
    scene = Scene()
    traces = Traces(scene)
    for x in (0.0, 1e-4, 0.01, 0.02):
        traces.add([np.array([x, 0.0, 0.0])])
    traces.redraw()
    line = scene.shown['/traced_path/0'].points
    assert line[..., 0] == pytest.approx(np.array([[0.0, 0.01], [0.01, 0.02]]))
    for x in (3.0, 3.01):   # reset: no line leads there
        traces.add([np.array([x, 0.0, 0.0])])
    traces.redraw()
    line = scene.shown['/traced_path/0'].points
    assert line[..., 0] == pytest.approx(np.array([[0.0, 0.01], [0.01, 0.02], [3.0, 3.01]]))
    traces.add([np.zeros(3), np.ones(3)])   # of two tools: they begin anew
    traces.redraw()
    assert list(scene.shown) == ['/traced_path']


def test_paths_are_shown_once_and_looked_at():
    paths = DesiredPaths(Scene())
    line = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    assert paths.show([line, line[:1]]) and paths.points.tolist() == line.tolist()
    assert not paths.show([line.copy()])
    paths.clear()   # the button clears traces: a path is still followed
    assert paths.active


def test_a_plot_leaves_out_what_is_zero_and_what_comes_too_soon():
    gui = Gui()
    plot = LivePlot(gui, 'Efforts', 'N m', 'effort', history=1.0)
    plot.redraw()
    plot.add(0.0, {'a': 0.0, 'b': 0.0})
    plot.redraw()
    assert not gui.plots and not gui.folder.visible
    for instant in (0.01, 0.05, 0.1):
        plot.add(instant, {'a': 0.0, 'b': instant})
    plot.redraw()
    (drawn,) = gui.plots
    assert [series.get('label') for series in drawn.series] == ['t', 'b']
    assert drawn.legend == {'live': False}   # no values of a mouse that is elsewhere: "t: --"
    assert [column.tolist() for column in drawn.data] == [[0.0, 0.05, 0.1], [0.0, 0.05, 0.1]]
    assert gui.folder.visible
    for instant in range(2, 40):
        plot.add(0.1 * instant, {'a': 0.0, 'b': 1.0})
    assert len(plot.samples) == 20   # a second of samples 0.05 s apart
    plot.add(0.0, {'a': 1.0, 'b': 1.0})   # time begins anew
    plot.redraw()
    assert len(plot.samples) == 1 and len(gui.plots) == 1
    plot.hide()
    assert not plot.samples and not gui.folder.visible


def test_a_plot_of_many_joints_shows_some():
    gui = Gui()
    plot = LivePlot(gui, 'Efforts', 'N m', 'effort', history=1.0)
    plot.add(0.0, {f'joint{number}': 1.0 for number in range(100)})
    plot.redraw()
    assert len(gui.plots[0].data) == 1 + MOST_LINES
    plot.add(1.0, {})
    plot.redraw()   # of a robot without joints there is nothing to show


def test_changes_begin_at_zero():
    lines = np.array([[270.0, 271.0, 269.5], [0.0, 1.0, -0.5]])
    assert changes(lines).tolist() == [[0.0, 1.0, -0.5], [0.0, 1.0, -0.5]]


def test_logarithmic_scales():
    assert millimetres(np.array([1e-6, -2.5e-3, 0.0])) == pytest.approx([1e-3, 2.5,
                                                                        1e3 * SMALLEST])
    assert powers_of_ten(np.array([1e-12, -100.0, 0.0])) == pytest.approx(
        [-12.0, 2.0, np.log10(LEAST)])


def test_links_that_bend_are_where_the_dynamics_have_them():
    model = mbd_ros.load('urdf/flexible_arm.urdf')
    scene, world = Scene(), np.eye(4)
    drawing = Bending(scene)
    assert not drawing.active
    world[:3, 3] = 5.0, 0.0, 1.0   # such as that of a base that floats
    for scale in (0.0, 0.02, 0.02):
        q = np.array([0.1, -0.9, 1.2, 0.3] + 10 * [scale])
        links = mbd_ros.bent_links(model, q)
        drawing.show(links, {
            name: world @ pose for name, pose in mbd_ros.link_poses(model, q).items()})
        drawing.redraw()
        for number, link in enumerate(links.values()):
            line = scene.shown[f'{drawing.root}/{number}']
            seen = line.position + line.points @ quat2mat(line.wxyz).T
            # Single precision of points at a metre.
            np.testing.assert_allclose(seen[:, 0], world[:3, 3] + link.points[:-1], atol=1e-6)
            np.testing.assert_allclose(seen[:, 1], world[:3, 3] + link.points[1:], atol=1e-6)
    drawing.show({}, {})
    assert not drawing.active and len(scene.shown) == 1   # the frame of the drawing
