"""The arrow of the force at a tool on the page."""

from types import SimpleNamespace

import numpy as np

from mbd_ros.nodes.page.tool_view import ToolView


class Scene:
    """Keeps the handles of what is shown."""

    def __init__(self):
        self.shown = {}

    def add_arrows(self, name, points, *_, **__):
        handle = SimpleNamespace(points=points, remove=lambda: self.shown.pop(name))
        self.shown[name] = handle
        return handle


def test_a_force_that_vanishes_leaves_no_arrow():
    """A browser goes on showing one whose length becomes zero."""
    scene = Scene()
    view = ToolView(scene, 0, 1.0, 10)
    view.show_force(np.zeros(3), np.zeros(3))
    assert not scene.shown
    for _ in range(2):
        view.show_force(np.ones(3), np.array([0.0, 0.5, 0.0]))
        view.redraw()
        (arrow,) = scene.shown.values()
        assert arrow.points[0, 1].tolist() == [0.0, 0.0, 0.5]
        view.show_force(np.ones(3), np.zeros(3))
        view.redraw()
        assert not scene.shown
    view.remove()
