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

"""The controller's state, ``mbd_msgs/ControllerState``."""

from __future__ import annotations

from collections.abc import Sequence

from geometry_msgs.msg import Vector3
from mbd_msgs.msg import ControllerState, ToolState

from mbd_ros.control.control_step.fused_step import Step
from mbd_ros.control.tasks.followed_tools import ToolPoints
from mbd_ros.messages.fields.times import to_stamp
from mbd_ros.messages.states.drawings import to_point
from mbd_ros.messages.states.joint_states import Measured
from mbd_ros.messages.trajectories.trajectories import joint_points
from mbd_ros.model import Model
from mbd_ros.model.names import simple_joints
from mbd_ros.model.state import simple_entries


def idle_state(nanoseconds: int, mode: int, message: str, joint_names: Sequence[str], *,
               generation: int, step: int) -> ControllerState:
    """
    Return the state of a controller that sends no efforts.

    Parameters
    ----------
    nanoseconds : int
        Time of the message.
    mode : int
        ``ControllerState.MODE_WAITING``, ``MODE_HOLDING`` or ``MODE_LOST``.
    message : str
        Why.
    joint_names : sequence of str
        Joints of the robot.
    generation : int
        Number of the model in use, 0 without one.
    step : int
        Control steps so far.

    Returns
    -------
    ControllerState
        Without numbers.

    """
    state = ControllerState(mode=mode, message=message, joint_names=list(joint_names),
                            model_generation=generation, step=step)
    state.header.stamp = to_stamp(nanoseconds)
    return state


def tracking_state(nanoseconds: int, frame: str, model: Model, measured: Measured,
                   step: Step, tools: Sequence[ToolPoints], constraint_rows: int
                   ) -> ControllerState:
    """
    Return the state of a controller after a control step.

    Parameters
    ----------
    nanoseconds : int
        Time of the measured state.
    frame : str
        Frame of the tool points.
    model : Model
        The robot; its joints with one coordinate are reported.
    measured : Measured
        The measured state.
    step : Step
        The control step: the nominal model at that time, and efforts.
    tools : sequence of ToolPoints
        Where the tools are, at least one.
    constraint_rows : int
        Number of constraint equations.

    Returns
    -------
    ControllerState
        Complete but for generation, step, computation time and deadline misses.

    """
    nominal, efforts = step.nominal, step.efforts
    _, at_v = simple_entries(model)
    state = ControllerState(mode=ControllerState.MODE_TRACKING, path_time=nominal.time,
                            joint_names=list(simple_joints(model)))
    state.header.stamp = to_stamp(nanoseconds)
    state.header.frame_id = frame
    state.reference, state.feedback, state.error = joint_points(model, measured, step)
    state.effort_nominal = efforts.nominal[at_v].tolist()
    state.effort_constraint = nominal.constraint_force[at_v].tolist()
    state.effort_feedback = efforts.feedback[at_v].tolist()
    state.effort_robust = [] if efforts.robust is None else efforts.robust[at_v].tolist()
    state.power = float(efforts.effort.dot(measured.v))
    state.effort_total = efforts.effort[at_v].tolist()
    state.saturated = bool(efforts.saturated)
    state.constraint_violation_before = nominal.violation_before
    state.constraint_violation_after = nominal.violation
    state.constraint_rows = constraint_rows
    state.constraint_rank = nominal.rank
    state.tools = [_tool_state(tool) for tool in tools]
    first = state.tools[0]
    state.tool_desired, state.tool_nominal = first.desired, first.nominal
    state.tool_actual, state.tool_error = first.actual, first.error
    state.tool_force = first.force
    return state


def _tool_state(tool: ToolPoints) -> ToolState:
    """Return where a tool is as a message."""
    x, y, z = tool.force.tolist()
    return ToolState(link=tool.link, desired=to_point(tool.desired), error=tool.error,
                     nominal=to_point(tool.nominal), actual=to_point(tool.actual),
                     force=Vector3(x=x, y=y, z=z))
