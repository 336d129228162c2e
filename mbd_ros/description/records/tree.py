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

"""Links and joints as one spanning tree, and the joints that close loops over it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from mbd_ros.description.records.finding import Source
from mbd_ros.description.records.inertia_check import HUGE
from mbd_ros.description.records.loop_joints import closing
from mbd_ros.description.records.mechanism import Joint, Link, LoopJoint
from mbd_ros.description.records.report import nearest, Report
from mbd_ros.description.records.tree_joint_choice import carriers


class Tree(NamedTuple):
    """The root link, the joints of the spanning tree, and the joints that close loops."""

    root: str
    joints: tuple[Joint, ...]
    closing: tuple[LoopJoint, ...]


def span(links: Sequence[Link], joints: Sequence[Joint], report: Report, *,
         driven: Collection[str] = (), kept: Collection[str] = ()) -> Tree:
    """
    Return the spanning tree of a robot.

    Of several joints that lead to a link one carries it (``carriers``), the others close loops.
    The root is the link that no joint leads to or, where joints lead to all, the first link of the
    file on the ring that carries all others: the joints that lead to it close loops.

    Parameters
    ----------
    links, joints : sequence of Link and Joint
        In the order of the file.
    report : Report
        Takes the findings.
    driven : collection of str, optional
        Names of joints that transmissions and the like drive.
    kept : collection of str, optional
        Names of joints that cannot close loops.

    Returns
    -------
    Tree
        Joints in the order of the file.

    Raises
    ------
    DescriptionError
        If names are given twice or do not exist, or the links are not all connected to one root.
    UnsupportedError
        If a joint closes a loop that cannot do so.

    """
    if not links:
        raise report.error('the robot has no <link>', Source(report.file))
    check_names('link', links, report)
    check_names('joint', joints, report)
    _check_ends(links, joints, report)
    root = _find_root(links, joints, report)
    parents = carriers(root, joints, driven, kept)
    carry = {joint.name for joint in parents.values()}
    _check_cycles(joints, parents, report)
    return Tree(root, tuple(parents.values()),
                tuple(closing(joint, report) for joint in joints if joint.name not in carry))


def _find_root(links: Sequence[Link], joints: Sequence[Joint], report: Report) -> str:
    first: dict[str, str] = {}
    for joint in joints:
        first.setdefault(joint.child, joint.parent)
    roots = [link for link in links if link.name not in first]
    if len(roots) > 1:
        raise report.error(
            f"the links {_listed([link.name for link in roots])} are no joint's child; allowed: "
            'one root link, to which all others are connected', roots[1].source)
    if roots:
        return roots[0].name
    seen: dict[str, None] = {}
    name = links[0].name
    while name not in seen:
        seen[name] = None
        name = first[name]
    ring = set(list(seen)[list(seen).index(name):])
    return next(link.name for link in links if link.name in ring)


def check_names(kind: str, items: Sequence[Link] | Sequence[Joint], report: Report) -> None:
    """Check that names of links or of joints differ; DescriptionError if not."""
    lines: dict[str, int | None] = {}
    for item in items:
        if item.name in lines:
            raise report.error(f"{kind} '{item.name}' is defined twice, first in line "
                               f'{lines[item.name]}; names must differ', item.source)
        lines[item.name] = item.source.line


def _check_ends(links: Sequence[Link], joints: Sequence[Joint], report: Report) -> None:
    known = {link.name for link in links}
    for joint in joints:
        for end, name in (('parent', joint.parent), ('child', joint.child)):
            if name not in known:
                raise report.error(f"joint '{joint.name}': {end} link '{name}' does not exist"
                                   f'{nearest(name, known)}', joint.source)
        if max(map(abs, joint.origin.translation)) > HUGE:
            raise report.error(f"joint '{joint.name}' is farther than {HUGE:g} m from its parent, "
                               'which no robot is', joint.source)
        if joint.parent == joint.child:
            raise report.error(f"joint '{joint.name}' connects link '{joint.child}' with itself; "
                               'allowed: two links', joint.source)


def _check_cycles(joints: Sequence[Joint], parents: dict[str, Joint], report: Report) -> None:
    """Raise if following the parents from some link comes back to it."""
    done: set[str] = set()
    for joint in joints:
        path: dict[str, Joint] = {}
        name = joint.child
        while name in parents and name not in done:
            if name in path:
                ring = list(path)[list(path).index(name):]
                raise report.error(
                    f"joint '{parents[name].name}': the links {_listed(ring[::-1])} are connected "
                    'in a circle, apart from the root', parents[name].source)
            path[name] = parents[name]
            name = parents[name].parent
        done.update(path)


def _listed(names: Sequence[str]) -> str:
    quoted = [f"'{name}'" for name in names[:5]] + (['...'] if len(names) > 5 else [])
    return ', '.join(quoted)
