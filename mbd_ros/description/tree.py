"""Whether links and joints make up one tree."""

from __future__ import annotations

from collections.abc import Sequence

from mbd_ros.description.finding import Source
from mbd_ros.description.loop_joints import INSTEAD
from mbd_ros.description.mechanism import Joint, Link
from mbd_ros.description.report import nearest, Report
from mbd_ros.errors import UnsupportedError


def find_root(links: Sequence[Link], joints: Sequence[Joint], report: Report) -> str:
    """
    Return the name of the link all others hang from.

    Parameters
    ----------
    links, joints : sequence of Link and Joint
        In the order of the file.
    report : Report
        Words the errors.

    Returns
    -------
    str
        The one link that is no joint's child.

    Raises
    ------
    DescriptionError
        If names are given twice or do not exist, or the links do not make up one tree.
    UnsupportedError
        If a second joint onto a link closes a loop.

    """
    if not links:
        raise report.error('the robot has no <link>', Source(report.file))
    _check_names('link', links, report)
    _check_names('joint', joints, report)
    parents = _parents(links, joints, report)
    roots = [link for link in links if link.name not in parents]
    if len(roots) > 1:
        raise report.error(
            f"the links {_listed([link.name for link in roots])} are no joint's child; allowed: "
            'one root link, to which all others are connected', roots[1].source)
    _check_cycles(joints, parents, report)
    return roots[0].name


def _check_names(kind: str, items: Sequence[Link] | Sequence[Joint], report: Report) -> None:
    lines: dict[str, int | None] = {}
    for item in items:
        if item.name in lines:
            raise report.error(f"{kind} '{item.name}' is defined twice, first in line "
                               f'{lines[item.name]}; names must differ', item.source)
        lines[item.name] = item.source.line


def _parents(links: Sequence[Link], joints: Sequence[Joint], report: Report) -> dict[str, Joint]:
    """Return the joint that leads to each link."""
    known = {link.name for link in links}
    parents: dict[str, Joint] = {}
    for joint in joints:
        for end, name in (('parent', joint.parent), ('child', joint.child)):
            if name not in known:
                raise report.error(f"joint '{joint.name}': {end} link '{name}' does not exist"
                                   f'{nearest(name, known)}', joint.source)
        first = parents.setdefault(joint.child, joint)
        if first is not joint:
            raise UnsupportedError(
                f"{joint.source}: the closed loop of joint '{joint.name}', the second onto link "
                f"'{joint.child}' after '{first.name}' in line {first.source.line},", INSTEAD)
    return parents


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
                    'in a circle, without a root', parents[name].source)
            path[name] = parents[name]
            name = parents[name].parent
        done.update(path)


def _listed(names: Sequence[str]) -> str:
    quoted = [f"'{name}'" for name in names[:5]] + (['...'] if len(names) > 5 else [])
    return ', '.join(quoted)
