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

"""Look up transforms in the buffer of another program."""

from __future__ import annotations

import threading
from typing import Any

from geometry_msgs.msg import TransformStamped
from rclpy.action import ActionClient
from rclpy.duration import Duration
from rclpy.time import Time
from tf2_msgs.action import LookupTransform
from tf2_msgs.msg import TF2Error
from tf2_ros.buffer_interface import BufferInterface
from tf2_ros.exceptions import ConnectivityException
from tf2_ros.exceptions import ExtrapolationException
from tf2_ros.exceptions import InvalidArgumentException
from tf2_ros.exceptions import LookupException
from tf2_ros.exceptions import TimeoutException
from tf2_ros.exceptions import TransformException

NO_WAIT = Duration()
ERRORS: dict[int, type[Exception]] = {
    TF2Error.LOOKUP_ERROR: LookupException,
    TF2Error.CONNECTIVITY_ERROR: ConnectivityException,
    TF2Error.EXTRAPOLATION_ERROR: ExtrapolationException,
    TF2Error.INVALID_ARGUMENT_ERROR: InvalidArgumentException,
    TF2Error.TIMEOUT_ERROR: TimeoutException,
    TF2Error.TRANSFORM_ERROR: TransformException,
}


class BufferClient(BufferInterface):
    """
    Asks a `BufferServer` for transforms.

    Each call waits for its answer: another thread has to spin the node.

    Parameters
    ----------
    node : Node
        Whose client it is.
    ns : str
        Name of the action, such as ``tf2_buffer_server``.
    check_frequency : float
        Not used: answers wake who waits for them.
    timeout_padding : Duration
        How much longer an answer is waited for than the server waits for the transform.

    """

    def __init__(
        self, node: Any, ns: str, check_frequency: float | None = 10.0,
        timeout_padding: Duration = Duration(seconds=2.0),  # noqa: B008
    ) -> None:
        super().__init__()
        self.node = node
        self.action_client = ActionClient(node, LookupTransform, ns)
        self.timeout_padding = timeout_padding

    def destroy(self) -> None:
        """Destroy the client."""
        self.action_client.destroy()

    def lookup_transform(
        self, target_frame: str, source_frame: str, time: Time, timeout: Duration = NO_WAIT,
    ) -> TransformStamped:
        """
        Return the transform that takes coordinates in the source frame to the target frame.

        Parameters
        ----------
        target_frame, source_frame : str
            Names of the frames.
        time : Time
            When; zero for the latest time.
        timeout : Duration
            How long the server waits for it.

        Raises
        ------
        TransformException
            If there is none; a `TimeoutException` also where no server answers in time.

        """
        return self._ask(LookupTransform.Goal(
            target_frame=target_frame, source_frame=source_frame, source_time=time.to_msg(),
            timeout=timeout.to_msg()), timeout)

    def lookup_transform_full(
        self, target_frame: str, target_time: Time, source_frame: str, source_time: Time,
        fixed_frame: str, timeout: Duration = NO_WAIT,
    ) -> TransformStamped:
        """Return the transform between two frames at two times, by way of a fixed frame."""
        return self._ask(LookupTransform.Goal(
            target_frame=target_frame, source_frame=source_frame,
            source_time=source_time.to_msg(), timeout=timeout.to_msg(),
            target_time=target_time.to_msg(), fixed_frame=fixed_frame, advanced=True), timeout)

    def can_transform(
        self, target_frame: str, source_frame: str, time: Time, timeout: Duration = NO_WAIT,
    ) -> bool:
        """Return whether a transform can be looked up."""
        try:
            self.lookup_transform(target_frame, source_frame, time, timeout)
        except TransformException:
            return False
        return True

    def can_transform_full(
        self, target_frame: str, target_time: Time, source_frame: str, source_time: Time,
        fixed_frame: str, timeout: Duration = NO_WAIT,
    ) -> bool:
        """Return whether a transform between two times can be looked up."""
        try:
            self.lookup_transform_full(
                target_frame, target_time, source_frame, source_time, fixed_frame, timeout)
        except TransformException:
            return False
        return True

    def _ask(self, goal: Any, timeout: Duration) -> TransformStamped:
        """Send a goal and wait for its result."""
        seconds = (timeout.nanoseconds + self.timeout_padding.nanoseconds) * 1e-9
        if not self.action_client.wait_for_server(timeout_sec=max(seconds, 1.0)):
            raise TimeoutException('no BufferServer answers')
        done = threading.Event()
        found: list[Any] = []

        def answered(future: Any) -> None:
            if future.result().accepted:
                future.result().get_result_async().add_done_callback(ended)
            else:
                done.set()

        def ended(future: Any) -> None:
            found.append(future.result().result)
            done.set()

        self.action_client.send_goal_async(goal).add_done_callback(answered)
        # Answers need time of their own, also where the padding is zero.
        if not done.wait(seconds + 1.0):
            raise TimeoutException(f'the BufferServer did not answer in {seconds + 1.0:g} s')
        if not found:
            raise TransformException('the BufferServer refused the goal')
        error = found[0].error
        if error.error != TF2Error.NO_ERROR:
            raise ERRORS.get(error.error, TransformException)(error.error_string)
        transform: TransformStamped = found[0].transform
        return transform
