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


"""Control steps for libraries: a task, or a path of all joints, with the law of the controller."""

from __future__ import annotations

from mbd_ros.control.control_step.fused_step import joint_step_code, step_code, StepCode
from mbd_ros.control.tasks.task import controller_for, law_for, Task
from mbd_ros.dynamics.prepared.prepared import PreparedDynamics
from mbd_ros.errors import UnsupportedError
from mbd_ros.export.functions import Exported


def task_control(dyn: PreparedDynamics, task: Task) -> tuple[list[Exported], list[float]]:
    """
    Return the functions of the controller of a task.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot.
    task : Task
        What it does; it begins where the caller says, at a time of the caller's.

    Returns
    -------
    functions : list of Exported
        ``control_start``, ``control_step`` and, where configurations just add,
        ``control_step_from_afar``.
    gains : list of float
        Bandwidth, robust rate, and the approach speed of each entry of v.

    Raises
    ------
    MbdError
        If the task does not fit the robot, or a part of it has no machine code.

    """
    if task.flexible or task.adaptation_rate != 0.0 or task.start != 'as_given':
        raise UnsupportedError(
            'export of a task', "'flexible' and 'adaptation_rate' need Python, and 'start' has to "
            "be 'as_given': its way begins where the caller says")
    controller = controller_for(dyn, task)
    code = step_code(controller.nominal, controller.law)
    if code is None:
        raise UnsupportedError(
            'export of a task', 'a part of it has no machine code: a robot of more than 32 '
            'velocities, a formulation in NumPy, or springs where no drives act')
    model = dyn.model
    state = {'now': 1, 'q': model.nq, 'v': model.nv}
    inputs = {'before': code.size, **state, 'gains': 2 + model.nv}
    functions = [_of_code('control_start', state, code, code.start.address),
                 _of_code('control_step', inputs, code, code.step.address)]
    if code.pulled is not None:
        functions.append(_of_code('control_step_from_afar', inputs, code, code.pulled.address))
    return functions, controller.law.gains.tolist()


def control_functions(dyn: PreparedDynamics, joints: bool, task: Task | None
                      ) -> tuple[list[Exported], list[float]]:
    """
    Return functions of controllers, and the gains that they have unless told otherwise.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot.
    joints : bool
        Whether there is a step along a path of joints.
    task : Task or None
        The task that there are steps of, if any.

    Raises
    ------
    MbdError
        If there is no such machine code.

    """
    functions = [joint_control(dyn)] if joints else []
    if task is None:
        return functions, law_for(dyn, Task()).gains.tolist() if joints else []
    found, gains = task_control(dyn, task)
    return functions + found, gains


def joint_control(dyn: PreparedDynamics) -> Exported:
    """
    Return the step of a controller whose joints follow a path that the caller gives.

    Raises
    ------
    UnsupportedError
        If joints have several coordinates or links bend, or there is no machine code.

    """
    code = joint_step_code(dyn, law_for(dyn, Task()))
    if code is None:
        raise UnsupportedError("export of 'joint_control_step' for this robot",
                               'joints have several coordinates, or more than 32 velocities')
    n = dyn.model.nv
    return _of_code('joint_control_step', {'path': 3 * n, 'now': 1, 'q': n, 'v': n,
                                           'gains': 2 + n}, code, code.step.address)


def _of_code(name: str, inputs: dict[str, int], code: StepCode, address: int) -> Exported:
    return Exported(name, '', tuple(inputs.items()), (code.size,), address, places=code.places)
