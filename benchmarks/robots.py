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

"""Real robots from the wheel example-robot-data, for us and for the peers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
import sysconfig
from typing import Any

from lxml import etree
import numpy as np
import pinocchio as pin

import mbd_ros
from mbd_ros.model import Model
from mbd_ros.model.state import random_configuration

FOLDER = Path(sysconfig.get_paths()['purelib'], 'cmeel.prefix/share/example-robot-data/robots')
ROBOTS = {
    '7-DoF arm (xArm 7)': ('xarm_description/urdf/xarm7.urdf', False),
    'quadruped 12+6 (Solo 12)': ('solo_description/robots/solo12.urdf', True),
    'humanoid 29+6 (G1)': ('g1_description/urdf/g1_29dof_rev_1_0.urdf', True),
}


@dataclass(frozen=True)
class Case:
    """One robot in our form and in Pinocchio's, with a state."""

    name: str
    text: str
    floating: bool
    model: Model
    peer: Any
    q: np.ndarray
    v: np.ndarray
    third: np.ndarray

    def mujoco(self) -> tuple[Any, Any]:
        """Return MuJoCo's model and data at the same state."""
        import mujoco
        spec = mujoco.MjSpec.from_string(self.text)
        if self.floating:
            spec.worldbody.first_body().add_freejoint()
        spec.compiler.boundmass = spec.compiler.boundinertia = 1e-6  # massless frames
        spec.compiler.balanceinertia = True
        model = spec.compile()
        data = mujoco.MjData(model)
        data.qfrc_applied[:] = self.third
        data.qvel[:] = self.v
        return model, data


def cases() -> list[Case]:
    """Return the robots, without their visual and collision geometry."""
    found = []
    for name, (path, floating) in ROBOTS.items():
        file = FOLDER / path
        if not file.exists():
            raise SystemExit(f'{file} is missing: pip install example-robot-data')
        root = etree.parse(file).getroot()
        for element in root.xpath('//visual | //collision | //mujoco'):
            element.getparent().remove(element)
        text = etree.tostring(root, encoding='unicode')
        model = mbd_ros.load(text, floating_base=floating)
        peer = (pin.buildModelFromXML(text, pin.JointModelFreeFlyer()) if floating
                else pin.buildModelFromXML(text))
        rng = np.random.default_rng(0)
        found.append(Case(name, text, floating, model, peer, random_configuration(model, rng),
                          rng.normal(size=model.nv), rng.normal(size=model.nv)))
    return found
