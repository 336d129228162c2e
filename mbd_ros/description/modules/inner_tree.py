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

"""The tree of the bodies inside a module, rooted at any of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from mbd_ros.description.modules.records import Body
from mbd_ros.description.records.mechanism import Joint
from mbd_ros.description.xml.yaml_fields import Value


class Branch(NamedTuple):
    """A joint of a module as it is met from some body; ``reversed``: its child is inboard."""

    joint: Joint
    reversed: bool


def tree_from(root: str, joints: Mapping[str, Joint]) -> list[Branch]:
    """
    Return the joints of a module in the order in which they are met from a body.

    Parameters
    ----------
    root : str
        The body to begin with.
    joints : mapping of str to Joint
        All joints of the module.

    Returns
    -------
    list of Branch
        Inboard joints first; those that cannot be reached from the root are left out.

    """
    around: dict[str, list[Branch]] = {}
    for joint in joints.values():
        around.setdefault(joint.parent, []).append(Branch(joint, False))
        around.setdefault(joint.child, []).append(Branch(joint, True))
    met: list[Branch] = []
    used: set[str] = set()
    bodies = [root]
    for body in bodies:
        for branch in around.get(body, ()):
            if branch.joint.name not in used:
                used.add(branch.joint.name)
                met.append(branch)
                bodies.append(branch.joint.parent if branch.reversed else branch.joint.child)
    return met


def check_tree(value: Value, bodies: Mapping[str, Body], joints: Mapping[str, Joint]) -> None:
    """Raise an error unless the joints connect all bodies to one tree."""
    reached = {next(iter(bodies))}
    for branch in tree_from(next(iter(bodies)), joints):
        outer = branch.joint.parent if branch.reversed else branch.joint.child
        if outer in reached:
            raise value.report.error(
                f"joint '{branch.joint.name}' of {value.what} closes a ring of its bodies; "
                'allowed: a tree', branch.joint.source)
        reached.add(outer)
    for name, body in bodies.items():
        if name not in reached:
            raise value.report.error(
                f"body '{name}' of {value.what} is connected to no other by a joint; allowed: "
                'one tree of all bodies', body.source)
