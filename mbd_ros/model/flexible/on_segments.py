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

"""What is attached to a robot with flexible links, by the segments that carry it."""

from __future__ import annotations

from dataclasses import replace

from mbd_ros.model.attachments.contacts import make_contacts
from mbd_ros.model.attachments.fluids import make_submerged
from mbd_ros.model.attachments.lifted_links import is_lifted, make_lifted
from mbd_ros.model.attachments.thrusters import make_thruster
from mbd_ros.model.caches import owned
from mbd_ros.model.loops import make_loop, make_spring
from mbd_ros.model.model import Model


@owned()
def on_segments(model: Model) -> Model:
    """
    Return a robot whose links and all that is attached to them sit on segments.

    ``model.links`` and what is attached to them say where they are on *bodies* while nothing
    is bent. What bends moves them: here ``frame.body`` is a segment of ``model.elastic``, and what
    is attached to a flexible link has a segment of its own there, see ``seats``; but for couplings
    of joints, which are no matter of poses. Of rigid robots segments are bodies, so that these are
    returned as they are.
    """
    if model.elastic is None:
        return model
    links, described = model.elastic.links, model.elastic.seated
    wet, touching = ({one.name for one in model.fluids}, {one.link for one in model.contacts})
    pushing = {one.name for one in model.thrusters}
    parents = [segment.parent for segment in model.elastic.segments]
    cuts = {one.name: make_loop(one, links, parents) for one in described.loop_joints}
    carriers = {name: name for name in model.links} | {
        joint.child: joint.parent for joint in described.joints if joint.child not in model.links}
    places = [point.frame for one in described.contacts if carriers[one.link] in touching
              for point in make_contacts(one, links)]
    return replace(
        model, links=links,
        loops=tuple(one if one.kind == 'mimic' else cuts[one.name] for one in model.loops),
        springs=tuple(replace(make_spring(one, links), damping=own.damping)
                      for one, own in zip(described.springs, model.springs)),
        lifted=tuple(make_lifted(one, links) for one in described.links if is_lifted(one, links)),
        fluids=tuple(make_submerged(one, links) for one in described.fluids
                     if carriers[one.link] in wet),
        contacts=tuple(replace(point, frame=frame)
                       for point, frame in zip(model.contacts, places)),
        thrusters=tuple(make_thruster(one) for one in described.thrusters if one.name in pushing))
