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
What holds the joints that a task leaves free and for which it names no posture.

A position of the tool leaves three of the six joints of an arm free. The constraint force does no
work along them, so that they would fall like a pendulum, and within a second or so exceed a limit.
They are held near where the task began, by ``PostureSpring``.
"""

from __future__ import annotations

import numpy as np

from mbd_ros.control.control_step.applied_forces import (
    away_from_limits, PostureSpring, STEPS_AHEAD)
from mbd_ros.control.control_step.constrained_motion import ConstrainedMotion
from mbd_ros.control.tasks.approaching import nearest
from mbd_ros.model.names import position_units
from mbd_ros.model.state import floating_base
from mbd_ros.simulation.manifold import Vector

QUICKNESS = 5.0
"""At which a held joint with the largest inertia of all returns [rad/s]."""

PER_STEP = 0.5
"""Most that a damper changes the velocity of its joint in one integration step, as a share."""


def hold_for(motion: ConstrainedMotion, q: Vector, time: float, step: float
             ) -> PostureSpring | None:
    """
    Return springs and dampers that hold what a motion leaves free.

    All revolute joints have springs of the same stiffness, and all prismatic ones, such that that
    with the largest inertia returns at ``QUICKNESS``: with equal springs the joints share a
    displacement by their lever, not by their inertia. Where a light joint would be too stiff for
    the integrator its spring is softer.

    Parameters
    ----------
    motion : ConstrainedMotion
        The motion.
    q : Vector
        Where it begins (nq,); a joint closer to a limit than ``AVOIDED`` is led away from it.
    time : float
        When it is on its constraint [s].
    step : float
        Longest integration step [s].

    Returns
    -------
    PostureSpring or None
        None where the constraint leaves nothing free, and for robots with a floating base or
        with motions that no actuator controls.

    """
    dyn, model = motion.dyn, motion.dyn.model
    if motion.under_actuated or floating_base(model) is not None:
        return None
    if nearest(motion, q, np.zeros(model.nv), time).rank >= model.nv:
        return None
    mass = dyn.mass_matrix(q)
    inertia, mobility = mass.diagonal(), np.linalg.inv(mass).diagonal()
    sliding = np.array([unit == ' m' for unit in position_units(model)])
    stiffness = np.zeros(model.nv)
    for kind in (sliding, ~sliding):
        stiffness[kind] = QUICKNESS**2 * inertia[kind].max(initial=0.0)
    stiffest = (PER_STEP / (2.0 * step * mobility))**2 / inertia
    return PostureSpring(dyn, away_from_limits(model, q),
                         stiffness=np.minimum(stiffness, stiffest), avoiding=True,
                         ahead=STEPS_AHEAD * step)
