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

"""
A robot as one HTML file that computes by itself.

Sliders and the mouse move it; poses, mass centre, Jacobians and the efforts that hold it are the
machine code of ``mbd_ros`` as WebAssembly. The file needs neither a server nor a network. What
draws is three.js, which trimesh brings along within its own page.

"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
import importlib
from pathlib import Path
import tempfile
from typing import Any

import numpy as np

from mbd_ros.description.records.budget import reading
from mbd_ros.description.urdf.solids import solid_of
from mbd_ros.description.urdf.visuals import read_visuals, Shape
from mbd_ros.description.xml.packages import packages_of
from mbd_ros.dynamics.functions.equations_of_motion import link_poses
from mbd_ros.dynamics.loops.closure import close_loops
from mbd_ros.dynamics.prepared.prepared import compile_model
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.errors import MachineError
from mbd_ros.export.functions import tips
from mbd_ros.export.js_text import as_javascript
from mbd_ros.export.target import WEB
from mbd_ros.export.write import export_library, ExportedLibrary
from mbd_ros.model import Model, state
from mbd_ros.spatial.rank_thresholds import LOOP_MULTIPLIERS, UNDRIVEN

FUNCTIONS = ('body_poses', 'gravity_forces', 'jacobian', 'pose')
RIGID = ('center_of_mass',)
"""Functions that robots whose links bend have not."""
BENDING = ('inverse_dynamics_derivatives',)
CLOSING = ('position_correction', 'configuration_step', 'loop_rows')
"""Functions that robots with closed loops need, too."""
UNBOUNDED = {'rad': np.pi, 'm': 1.0}
"""How far sliders go to both sides where a joint has no limits."""
STYLE = """
body { margin: 0; overflow: hidden; font: 13px/1.5 system-ui, sans-serif; color: #22272e; }
aside { position: fixed; top: 0; right: 0; width: 330px; max-height: 100vh; overflow-y: auto;
  box-sizing: border-box; padding: 12px 16px; background: #fffffff0; border-left: 1px solid #ddd; }
h1 { font-size: 17px; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 13px; margin: 14px 0 4px; }
.hint { margin: 2px 0 8px; color: #667; }
.status { margin: 0; color: #c33; }
.failed { position: fixed; top: 0; left: 0; padding: 12px; background: #fff; color: #c33; }
.row { display: grid; grid-template-columns: 104px 1fr 84px; gap: 8px; align-items: center; }
.row span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.row output { text-align: right; font-variant-numeric: tabular-nums; }
.row b { height: 9px; background: #e8ebef; }
.row i { display: block; height: 100%; background: #1f77b4; }
.row i.over { background: #d62728; }
.row input { min-width: 0; }
.box { display: flex; gap: 8px; align-items: center; }
button { margin-top: 10px; padding: 4px 16px; }
"""


@reading()
def static_page(model: Model) -> tuple[str, tuple[str, ...]]:
    """
    Return a page of a robot that needs nothing else.

    Parameters
    ----------
    model : Model
        The robot; a floating base and joints of several coordinates stay where they are. Links
        that bend do so as much as the robot's weight bends them at rest.

    Returns
    -------
    str
        The page, HTML.
    tuple of str
        A remark for every visual that cannot be shown.

    Raises
    ------
    UnsupportedError
        If poses or efforts have no machine code of their own, as with links that bend and closed
        loops.
    MachineError
        If the page of trimesh is not as expected.

    """
    from trimesh.viewer import scene_to_html

    start = _start(model)
    shapes, remarks = read_visuals(model.mechanism, find_package=packages_of(model.mechanism))
    scene, unread = _scene(model, shapes)
    poses = link_poses(model, start)
    with tempfile.TemporaryDirectory() as scratch:
        bends = model.elastic is not None
        written = export_library(
            model, Path(scratch) / 'robot', target=WEB,
            links=[*tips(model), *_carried_by_bending(model)],
            functions=FUNCTIONS + (BENDING if bends else RIGID) + (
                CLOSING if model.loops else ()))
        library = written.static.stem.removeprefix('lib')
        code = (written.static.parent / f'{library}.wasm').read_bytes()
        loader = (written.static.parent / f'{library}.mjs').read_text(encoding='utf-8')
    page = {'code': base64.b64encode(code).decode(), 'start': start.tolist(),
            **_robot(model, start), **_links(model, written), **_view(model, scene, poses)}
    html = scene_to_html(scene)
    for there in ('</body>', '<title>', '</title>', 'var camera,controls,scene,renderer'):
        if there not in html:
            raise MachineError(f"the page of trimesh {_version()} has no '{there}'; mbd_ros needs "
                               'three.js as trimesh 4 brings it along')
    head, rest = html.split('<title>', 1)
    _, rest = rest.split('</title>', 1)
    before, after = rest.rsplit('</body>', 1)
    script = Path(__file__).with_name('static_page.js').read_text(encoding='utf-8')
    return (f'{head}<title>{escape(model.name)}</title><style>{STYLE}</style>{before}'
            f'<script type="module">{loader}\nconst page = {as_javascript(page)};\n{script}'
            f'</script></body>{after}'), remarks + unread


def _version() -> str:
    import trimesh
    return str(trimesh.__version__)


def _start(model: Model) -> Any:
    """Return the configuration that the page begins with, within limits and with closed loops."""
    start = state.neutral(model)
    for slider in _sliders(model):
        low, high = slider['low'], slider['high']
        if not low <= start[slider['q']] <= high:
            start[slider['q']] = 0.5 * (low + high)
    if model.loops:
        start, _ = close_loops(model, start, np.zeros(model.nv))
    return start


def _sliders(model: Model) -> list[dict[str, Any]]:
    """Return joints of one coordinate: name, places in q and v, range and unit."""
    found = []
    for k, (name, kind) in enumerate(zip(model.joint_names, model.joint_types)):
        if kind.nq != 1 or kind.nv != 1:
            continue
        v, unit = model.v_offsets[k], 'm' if kind.name == 'PRISMATIC' else 'rad'
        low, high = float(model.lower[v]), float(model.upper[v])
        reach = UNBOUNDED[unit]
        found.append({'name': name, 'q': int(model.q_offsets[k]), 'v': int(v), 'unit': unit,
                      'low': low if np.isfinite(low) else -reach,
                      'high': high if np.isfinite(high) else reach})
    return found


def _robot(model: Model, start: Any) -> dict[str, Any]:
    """Return what moves, what drives it, and which entries of q and v bend."""
    sliders = _sliders(model)
    driven = _driven(model, start, sliders) if model.loops else None
    efforts = [{'name': one['name'], 'v': one['v'], 'unit': {'rad': 'N m', 'm': 'N'}[one['unit']],
                'limit': _finite(model.effort_limits[one['v']]),
                'driven': driven is None or one['v'] in driven} for one in sliders]
    elastic = len(model.elastic_names)
    return {'sliders': sliders, 'efforts': efforts, 'held': _held(model),
            'elastic': [{'q': model.nq - k, 'v': model.nv - k} for k in range(elastic, 0, -1)]}


def _held(model: Model) -> list[int]:
    """Return the entries of v of floating bases, which stay where they are."""
    return [entry for name, kind in enumerate(model.joint_types) if kind.name == 'FLOATING'
            for entry in range(model.v_offsets[name], model.v_offsets[name] + kind.nv)]


def _driven(model: Model, start: Any, sliders: Sequence[dict[str, Any]]) -> set[int]:
    """
    Return entries of v of as many joints as drive a robot with closed loops.

    Descriptions do not say which joints have drives: those with limits of effort come first, then
    those on the root, then the others, each if it drives what the ones before it do not.
    """
    free = [k for k in range(model.nv) if k not in _held(model)]
    rows = compile_model(model).loop_rows(start, np.zeros(model.nv))[:, VALUES:][:, free]
    _, sizes, turned = np.linalg.svd(rows)
    motions = turned[int(np.sum(sizes > LOOP_MULTIPLIERS * max(1.0, sizes[0]))):].T
    first = sorted(sliders, key=lambda one: (
        _finite(model.effort_limits[one['v']]) is None, not _on_root(model, one['name'])))
    found: list[int] = []
    for one in first:
        more = [*found, free.index(one['v'])]
        if np.linalg.matrix_rank(motions[more], tol=UNDRIVEN) == len(more):
            found = more
    return {free[k] for k in found}


def _on_root(model: Model, joint: str) -> bool:
    return model.parents[model.joint_index(joint)] < 0


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) and value > 0.0 else None


def _links(model: Model, written: ExportedLibrary) -> dict[str, Any]:
    """Return the links that the mouse may drag, with functions, and the poses of what bends."""
    names: dict[str, dict[str, str]] = {}
    for symbol, function in written.functions:
        if function.link:
            names.setdefault(function.link, {'link': function.link})[function.name] = (
                symbol.removeprefix(f'{written.name}_'))
    ends = tips(model)
    return {'tips': [one for name, one in names.items() if name in ends],
            'places': {f'link{k}': names[name]['pose'] for k, name in enumerate(model.links)
                       if model.elastic is not None and name in names}}


def _carried_by_bending(model: Model) -> list[str]:
    """Return links that lie on others which may bend, away from the origins of these."""
    return [name for name, frame in model.links.items()
            if model.elastic is not None and frame.body >= 0 and np.any(frame.translation)]


def _scene(model: Model, shapes: Sequence[Shape]) -> tuple[Any, tuple[str, ...]]:
    """Return the shapes below a node for each link; nodes are numbered, names may be anything."""
    trimesh: Any = importlib.import_module('trimesh')
    visual = trimesh.visual
    scene, remarks = trimesh.Scene(), []
    nodes = {name: f'link{k}' for k, name in enumerate(model.links)}
    for node in nodes.values():
        scene.graph.update(frame_to=node, frame_from=scene.graph.base_frame, matrix=np.eye(4))
    for k, shape in enumerate(shapes):
        if shape.link not in nodes:
            continue
        try:
            solid = solid_of(shape)
        except Exception as error:   # a library that reads files of others may raise anything
            remarks.append(f"{shape.file} of link '{shape.link}' is not shown: {error}")
            continue
        opaque = shape.color[3] >= 1.0
        solid.visual = visual.TextureVisuals(material=visual.material.PBRMaterial(
            baseColorFactor=[round(255 * part) for part in shape.color], metallicFactor=0.0,
            roughnessFactor=0.7, alphaMode='OPAQUE' if opaque else 'BLEND', doubleSided=True))
        scene.add_geometry(solid, node_name=f'shape{k}', geom_name=f'shape{k}',
                           parent_node_name=nodes[shape.link], transform=shape.pose)
    return scene, tuple(remarks)


def _view(model: Model, scene: Any, poses: dict[str, Any]) -> dict[str, Any]:
    """Return the links, and from where the robot is seen."""
    nodes = [{'node': f'link{k}', 'body': frame.body,
              'pose': [[*map(float, row), float(x)] for row, x in zip(
                  frame.rotation, frame.translation)] + [[0.0, 0.0, 0.0, 1.0]]}
             for k, frame in enumerate(model.links.values())]
    points = [pose[:3, 3] for pose in poses.values()]
    for k, name in enumerate(model.links):
        for child in scene.graph.transforms.children.get(f'link{k}', ()):
            place, geometry = scene.graph.get(child, f'link{k}')
            corners = scene.geometry[geometry].bounding_box.vertices
            pose = poses[name] @ place
            points.extend(corners @ pose[:3, :3].T + pose[:3, 3])
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    middle, size = 0.5 * (low + high), max(1e-3, float(np.linalg.norm(high - low)))
    eye = middle + 1.3 * size * np.array([0.75, -0.55, 0.35])
    return {'links': nodes, 'size': size, 'ground': 4.0 * size, 'middle': middle.tolist(),
            'eye': eye.tolist()}
