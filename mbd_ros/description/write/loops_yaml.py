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

"""Loop joints and springs as the YAML file beside a URDF that ``loops_yaml.py`` reads."""

from __future__ import annotations

from typing import Any

import yaml

from mbd_ros.description.records.mechanism import Mechanism, Pose
from mbd_ros.description.records.poses import roll_pitch_yaw
from mbd_ros.description.records.side_file import SUFFIX


def loops_yaml(mechanism: Mechanism) -> str:
    """Return the side file of a robot, ``NAME.loops.yaml``, as text."""
    def end(link: str, frame: Pose) -> dict[str, Any]:
        return {'link': link, 'xyz': list(frame.translation),
                'rpy': list(roll_pitch_yaw(frame.rotation))}

    loops = [{'name': loop.name, 'type': loop.kind, 'link1': end(loop.link1, loop.frame1),
              'link2': end(loop.link2, loop.frame2)}
             | ({} if loop.distance is None else {'distance': loop.distance})
             for loop in mechanism.loop_joints]
    springs = [{'name': spring.name, 'link1': {'link': spring.link1, 'xyz': list(spring.point1)},
                'link2': {'link': spring.link2, 'xyz': list(spring.point2)},
                'stiffness': spring.stiffness, 'damping': spring.damping, 'length': spring.length}
               | ({'slack': spring.slack} if spring.slack else {})
               for spring in mechanism.springs]
    text = yaml.safe_dump({'version': 1, 'loop_joints': loops, 'springs': springs},
                          sort_keys=False, default_flow_style=None)
    return f'# Loop joints and springs; read as NAME{SUFFIX} beside NAME.urdf\n{text}'
