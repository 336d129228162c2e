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
               for spring in mechanism.springs]
    text = yaml.safe_dump({'version': 1, 'loop_joints': loops, 'springs': springs},
                          sort_keys=False, default_flow_style=None)
    return f'# Loop joints and springs; read as NAME{SUFFIX} beside NAME.urdf\n{text}'
