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
What ``make demo`` shows where there is no DDS library, and so no nodes: a run, drawn as a page.

    .venv/bin/python scripts/demo_without_nodes.py [ROBOT]

The arm of the demo is pulled onto its ellipse and follows it; another robot of ``urdf/`` swings.
The page is one file, ``build/demo/ROBOT.html``.
"""

from __future__ import annotations

from pathlib import Path
import sys

import mbd_ros
from mbd_ros.cli.command import main
from mbd_ros.control import ConstrainedMotion, Ellipse, ToolPosition

ARM = 'three_link_arm'
ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / 'build' / 'demo'


def run_of(robot: str) -> mbd_ros.Trajectory:
    """Simulate a robot for some seconds."""
    files = sorted((ROOT / 'urdf').glob(f'{robot}.urdf*'))   # or .urdf.xacro
    if not files:
        raise SystemExit(f'there is no robot {robot!r} in {ROOT / "urdf"}')
    model = mbd_ros.load(files[0])
    if robot == ARM:
        path = Ellipse(center=[1, 0, 1], a=[0.25, 0.3, 0], b=[0, 1, 0.5])
        dyn = mbd_ros.compile(model)
        motion = ConstrainedMotion(dyn, ToolPosition(dyn, 'tool', path))
        return mbd_ros.simulate(model, [0.785, -0.785, 1.571], [0, 0, 0], 12.0, step=0.01,
                                motion=motion)
    q = mbd_ros.neutral(model)
    v = [0.0] * model.nv
    if model.loops:
        q, v = mbd_ros.close_loops(model, q, v)
    return mbd_ros.simulate(model, q, v, 6.0, step=0.005)


if __name__ == '__main__':
    name = sys.argv[1] if len(sys.argv) > 1 else ARM
    FOLDER.mkdir(parents=True, exist_ok=True)
    print(f'simulating {name} ...')
    run_of(name).save(FOLDER / f'{name}.npz')
    status = main(['view', str(FOLDER / f'{name}.npz')])
    if not status:
        print(f'open it in a browser: {(FOLDER / f"{name}.html").as_uri()}')
    sys.exit(status)
