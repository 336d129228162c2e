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

"""All views of the page."""

from __future__ import annotations

from types import SimpleNamespace

from mbd_ros.nodes.every_node.managed import ManagedNode
from mbd_ros.nodes.page.call_list import CallList
from mbd_ros.nodes.page.page import Page
from mbd_ros.nodes.viewing.bending import Bending
from mbd_ros.nodes.viewing.calls import Calls
from mbd_ros.nodes.viewing.docking import Docking
from mbd_ros.nodes.viewing.energy_audit import Audit
from mbd_ros.nodes.viewing.executor_queue import ExecutorQueue
from mbd_ros.nodes.viewing.fluid_and_ground import Surroundings
from mbd_ros.nodes.viewing.gains import Gains
from mbd_ros.nodes.viewing.goals import Goals
from mbd_ros.nodes.viewing.last_minute import Past
from mbd_ros.nodes.viewing.link_details import LinkDetails
from mbd_ros.nodes.viewing.loads import Loads
from mbd_ros.nodes.viewing.log import LogView
from mbd_ros.nodes.viewing.path_dragging import PathDragging
from mbd_ros.nodes.viewing.pushing import Pushing
from mbd_ros.nodes.viewing.recording import Recording
from mbd_ros.nodes.viewing.simulation import Simulation
from mbd_ros.nodes.viewing.starting import Starting
from mbd_ros.nodes.viewing.states import States
from mbd_ros.nodes.viewing.torques import Torques
from mbd_ros.nodes.viewing.tracking import Tracking
from mbd_ros.nodes.viewing.view import Shared, Timeline, View
from mbd_ros.nodes.viewing.wrenches import Wrenches

VIEWS: tuple[type[View], ...] = (
    Starting, Simulation, Tracking, Past, Bending, States, Torques, Audit, Surroundings, Docking,
    Goals, PathDragging, Pushing, Loads, Gains, Wrenches, LinkDetails, Recording, LogView)
"""In the order of their parts of the panel."""


def open_page(node: ManagedNode, settings: SimpleNamespace, timeline: Timeline
              ) -> tuple[Page, list[View]]:
    """
    Serve a page with all views.

    Parameters
    ----------
    node : ManagedNode
        The viewer.
    settings : SimpleNamespace
        Its parameters.
    timeline : Timeline
        Clock of the plots.

    Returns
    -------
    Page, list of View
        The page and what is on it.

    """
    page = Page(settings.host, settings.port, history=settings.history,
                report=node.get_logger().warning)
    try:
        with page.panel.control:
            calls = Calls(node, CallList(page.server.gui))
        shared = Shared(node, page, timeline, settings, ExecutorQueue(node), calls)
        page.panel.clear.on_click(lambda _: shared.queue.put('clear', page.clear))
        return page, [view(shared) for view in VIEWS]
    except BaseException:   # the end came meanwhile, and nobody else knows of the page
        page.close()
        raise
