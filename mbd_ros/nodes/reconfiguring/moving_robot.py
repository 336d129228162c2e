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

"""module_manager's client of the simulator: the moving robot whose state is carried over."""

from __future__ import annotations

import threading

from mbd_msgs.msg import StateTransfer
from mbd_msgs.srv import SetModel
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node

from mbd_ros.errors import NoAnswerError, RefusedError
from mbd_ros.messages.diagnostics.error_codes import error_name
from mbd_ros.messages.states.reconfigurations import Change, set_model_request


class MovingRobot:
    """
    The simulator of a robot.

    Parameters
    ----------
    node : Node
        Who changes the robot.
    name : str
        Name of the simulator; empty: none.
    timeout : float
        Longest wait for an answer [s].
    group : CallbackGroup
        Of the client: another than that of the callback that waits here.

    """

    def __init__(self, node: Node, name: str, timeout: float, group: CallbackGroup) -> None:
        self._service = f'{name}/set_model'
        self._timeout = timeout
        self._client = (node.create_client(SetModel, self._service, callback_group=group)
                        if name else None)

    def exchange(self, description: str, change: Change) -> StateTransfer:
        """
        Have the simulator go on with another robot.

        Parameters
        ----------
        description : str
            URDF.
        change : Change
            What is known of the state.

        Returns
        -------
        StateTransfer
            What became of the state; nothing was carried over if there is no simulator.

        Raises
        ------
        RefusedError
            If the simulator refuses the robot; it goes on with the old one.
        NoAnswerError
            If it does not answer in time.

        """
        if self._client is None or not self._client.service_is_ready():
            return StateTransfer()
        answered = threading.Event()
        future = self._client.call_async(set_model_request(description, change))
        future.add_done_callback(lambda _: answered.set())
        if not answered.wait(self._timeout):
            future.cancel()
            raise NoAnswerError(self._service, self._timeout)
        answer = future.result()
        if not answer.success:
            raise RefusedError(self._service, answer.message, error_name(answer.error_code),
                               answer.name_at_fault)
        return answer.transfer
