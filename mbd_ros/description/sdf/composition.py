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

"""SDFormat: the one model that is read, out of a world and with the models nested in it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from lxml import etree
import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.poses import pose_from, roll_pitch_yaw
from mbd_ros.description.records.report import FILE, nearest, Report, tag_name
from mbd_ros.description.sdf.frames import Frames, MODEL, WORLD
from mbd_ros.description.sdf.includes import include_models, MERGED, OLD, UNREAD
from mbd_ros.description.sdf.parts import base_of, pose_in, text_of
from mbd_ros.description.write.loops import numbers_text
from mbd_ros.description.xml.xml_tree import children
from mbd_ros.errors import UnsupportedError

Array = NDArray[np.float64]

_NAMED = ('link', 'joint', 'frame', 'model')
_IN_WORLD = ('model', 'joint', 'frame')


def compose(root: Any, report: Report, name: str | None = None) -> tuple[Any, Frames]:
    """
    Return the model to read, without nested models, and its frames.

    Links, joints and frames of a nested model ``sub`` are named ``sub::link`` then, and ``sub`` is
    the frame of that model. Joints of the world that hold the model belong to it.

    Parameters
    ----------
    root : lxml element
        The ``<sdf>``; changed.
    report : Report
        Takes the findings.
    name : str, optional
        Of the model; by default there must be one, or one that is not static.

    Raises
    ------
    DescriptionError
        If there is no such model or there are several, or a frame that is named does not exist.

    """
    include_models(root, report)
    model = _chosen(root, report, name)
    _refuse_constraints(model, report)
    worlds = [world for world in root.iterfind('world') if model.getparent() is world]
    _flatten(model, report)
    if worlds:
        _take_joints(worlds[0], model, report)
    for part in [*children(root), *(part for world in root.iterfind('world')
                                    for part in children(world))]:
        if part is not model and part.tag not in ('world', 'gravity', *_IN_WORLD[1:]):
            report.remark('info', f'<{tag_name(part)}> is not used: it is not part of the robot',
                          report.source(part))
    return model, _frames(model, worlds[0] if worlds else None, report)


def _chosen(root: Any, report: Report, name: str | None) -> Any:
    models = [*root.iterfind('model'), *root.iterfind('world/model')]
    names = [model.get('name', '') for model in models]
    if name is not None:
        if names.count(name) != 1:
            raise report.error(
                f"<sdf> has {names.count(name)} models named '{name}'{nearest(name, names)}; "
                f'allowed: one of {_listed(names)}', report.source(root))
        return _read(models[names.index(name)], report)
    known = [model for model in models if model.get(UNREAD) is None]
    moving = [model for model in known if not is_static(model)] or known
    for model in models:
        if model not in known and moving:
            report.remark('warning', f'{model.get(UNREAD)}; it is taken to be no part of the '
                          'robot', report.source(model))
        elif model not in known:
            _read(model, report)
    if len(moving) != 1:
        raise report.error(
            f'<sdf> has {len(moving)} models that are not static: '
            f"{_listed([model.get('name', '') for model in moving])}; allowed: one, or "
            "load(..., model='NAME')" if moving else
            '<sdf> has 0 models; allowed: one', report.source(root))
    return moving[0]


def _read(model: Any, report: Report) -> Any:
    """Return a model, unless it stands for a file that cannot be read."""
    if model.get(UNREAD) is not None:
        raise report.error(model.get(UNREAD), report.source(model))
    return model


def _refuse_constraints(model: Any, report: Report) -> None:
    for inner in model.iter('model'):
        for part in children(inner):
            if str(part.tag).rpartition(':')[2].endswith('_constraint'):
                raise UnsupportedError(f"<{tag_name(part)}> in model '{inner.get('name', '')}'",
                                       'remove it to load the robot without it',
                                       source=report.source(part))


def is_static(model: Any) -> bool:
    """Return whether a model stands still in its world."""
    return text_of(model, 'static') in ('1', 'true')


def _listed(names: list[str]) -> str:
    return ', '.join(f"'{name[:60]}'" for name in names[:10]) + (', ...' if names[10:] else '')


def _frames(model: Any, world: Any, report: Report) -> Frames:
    return Frames(model, report, _base(model, world, report, ()))


def _base(element: Any, world: Any, report: Report, seen: tuple[str, ...]) -> Array:
    """Return the pose in the world of the frame that the pose of a part of it is given in."""
    name = base_of(element) or element.get('attached_to', '').strip()
    if name in ('', WORLD):
        return np.eye(4)
    first, _, rest = name.partition('::')
    parts = {} if world is None else {
        part.get('name', ''): part for part in world.iterchildren('model', 'frame')}
    if first not in parts or first in seen:
        why = ('which is given relative to it' if first in seen else
               f'which does not exist in the world{nearest(first, parts)}')
        raise report.error(f"<pose> of {element.tag} '{element.get('name', '')}' is given "
                           f"relative to '{name}', {why}", report.source(element))
    part = parts[first]
    base = _base(part, world, report, (*seen, first))
    if part.tag == 'frame':
        return base @ pose_in(part, f"frame '{first}'", report)
    _flatten(part, report)
    return Frames(part, report, base).in_world(rest or MODEL, element)


def _take_joints(world: Any, model: Any, report: Report) -> None:
    """Move the joints of a world that hold the model into it."""
    name = model.get('name', '')
    for joint in list(world.iterfind('joint')):
        if name not in (text_of(joint, end).partition('::')[0] for end in ('parent', 'child')):
            report.remark('info', f"joint '{joint.get('name', '')}' of the world is not used: it "
                          'does not hold the model that is read', report.source(joint))
            continue
        for part in (*joint.iterchildren('parent', 'child'), *joint.iterfind('pose'),
                     *joint.iter('xyz')):
            _rename(part, partial(_from_world, world, model, joint, report))
        model.append(joint)


def _from_world(world: Any, model: Any, joint: Any, report: Report, frame: str) -> str:
    """Return the name within a model of a frame that its world names."""
    first, _, rest = frame.partition('::')
    if first == model.get('name', ''):
        return rest or MODEL
    if frame == WORLD:
        return WORLD
    for part in world.iterchildren('model', 'frame'):
        if part.get('name') == first and (part.tag == 'frame' or is_static(part)):
            if model.find(f"frame[@name='{frame}']") is None:
                base = _base(part, world, report, (first,))
                if part.tag == 'frame':
                    place = base @ pose_in(part, f"frame '{first}'", report)
                else:
                    _flatten(part, report)
                    place = Frames(part, report, base).in_world(rest or MODEL, joint)
                _add_frame(model, frame, WORLD, place)
            return frame
    raise report.error(f"joint '{joint.get('name', '')}' of the world connects model "
                       f"'{model.get('name', '')}' with '{frame}'; allowed: world, a frame of "
                       'the world, and links of static models', report.source(joint))


def _add_frame(model: Any, name: str, base: str, place: Array) -> None:
    frame = etree.SubElement(model, 'frame', name=name, attached_to=base)
    pose = pose_from(place)
    etree.SubElement(frame, 'pose').text = numbers_text(
        (*pose.translation, *roll_pitch_yaw(pose.rotation)))


def _rename(part: Any, renamed: Callable[[str], str]) -> None:
    """Give a part the names that frames have outside of their model."""
    for key in ('relative_to', 'frame', 'expressed_in', 'attached_to', 'canonical_link'):
        if part.get(key, '').strip():
            part.set(key, renamed(part.get(key).strip()))
    if part.tag in ('parent', 'child') and (part.text or '').strip():
        part.text = renamed(part.text.strip())


def _flatten(model: Any, report: Report) -> None:
    """Replace nested models by what is in them, as often as there are any."""
    while (inner := model.find('model')) is not None:
        _put_in(model, inner, report)


def _put_in(model: Any, inner: Any, report: Report) -> None:
    name = inner.get('name', '').strip()
    if not name or name in (MODEL, WORLD):
        raise report.error(f"the nested model '{name}' has no name, or a reserved one",
                           report.source(inner))

    merged = inner.get(MERGED) is not None
    whole = f'_merged__{name}__model__' if merged else name
    before = '' if merged else f'{name}::'

    def renamed(frame: str) -> str:
        return frame if frame == WORLD else whole if frame == MODEL else before + frame

    old = inner.getroottree().getroot().get('version', '').strip() == OLD
    parts = [part for part in children(inner) if part.tag in _NAMED]
    file = inner.get(FILE)
    for part in parts:
        _rename(part, renamed)
        for below in (*part.iterchildren('pose', 'parent', 'child'), *part.iter('xyz')):
            if below.tag != 'xyz' or part.tag == 'joint':
                _rename(below, renamed)
        for mimic in part.iterfind('*/mimic'):
            mimic.set('joint', renamed(mimic.get('joint', '')))
        if part.tag == 'frame' and not part.get('attached_to'):
            part.set('attached_to', whole)
        if part.tag in ('link', 'model') and not base_of(part):
            pose = part.find('pose')
            (etree.SubElement(part, 'pose') if pose is None else pose).set('relative_to', whole)
        for axis in part.iterchildren('axis', 'axis2') if part.tag == 'joint' else ():
            way = axis.find('xyz')
            if way is not None and not way.get('expressed_in') and (old or text_of(
                    axis, 'use_parent_model_frame') in ('1', 'true')):
                way.set('expressed_in', whole)
        if file is not None and part.get(FILE) is None:
            part.set(FILE, file)
        part.set('name', before + part.get('name', '').strip())
    held = inner.get('canonical_link', '').strip()
    first = before + held if held else next(
        (part.get('name') for tag in ('link', 'model') for part in parts if part.tag == tag), '')
    frame = etree.Element('frame', name=whole, attached_to=first or MODEL)
    frame.sourceline = min(inner.sourceline or 1, 65535)
    if file is not None:
        frame.set(FILE, file)
    placement = inner.get('placement_frame', '').strip()
    if placement:
        frame.set('placement_frame', renamed(placement))
    pose = inner.find('pose')
    pose = etree.SubElement(frame, 'pose') if pose is None else pose
    frame.append(pose)
    if not base_of(frame):
        pose.set('relative_to', MODEL)
    place = model.index(inner)
    model[place:place + 1] = [frame, *parts]
