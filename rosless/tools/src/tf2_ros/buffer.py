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

"""A buffer of transforms that can wait for them."""

from __future__ import annotations

from collections.abc import Callable
import time as clock
from typing import Any

from geometry_msgs.msg import TransformStamped
from rclpy.duration import Duration
from rclpy.task import Future
from rclpy.time import Time
from tf2_msgs.srv import FrameGraph
from tf2_ros.buffer_core import BufferCore
from tf2_ros.buffer_interface import BufferInterface
from tf2_ros.buffer_interface import NO_WAIT
from tf2_ros.exceptions import TransformException


class Buffer(BufferCore, BufferInterface):
    """
    Collect transforms and look them up, waiting for them if need be.

    Waiting blocks the thread: transforms must be received in another one, as with a
    ``TransformListener`` that has ``spin_thread=True`` or a multi-threaded executor.

    Parameters
    ----------
    cache_time : Duration, optional
        How long transforms are kept; 10 s by default.
    node : Node, optional
        Node that offers the service ``tf2_frames``: all frames as YAML.

    """

    def __init__(self, cache_time: Duration | None = None, node: Any = None) -> None:
        BufferCore.__init__(self, cache_time)
        BufferInterface.__init__(self)
        if node is not None:
            self.srv = node.create_service(FrameGraph, 'tf2_frames', self._answer_frames)

    def _answer_frames(
        self, request: FrameGraph.Request, response: FrameGraph.Response,
    ) -> FrameGraph.Response:
        response.frame_yaml = self.all_frames_as_yaml()
        return response

    def lookup_transform(
        self,
        target_frame: str,
        source_frame: str,
        time: Time,
        timeout: Duration = NO_WAIT,
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
            How long to wait for it.

        Raises
        ------
        TransformException
            See ``BufferCore.lookup_transform_core``.

        """
        self.can_transform(target_frame, source_frame, time, timeout)
        return self.lookup_transform_core(target_frame, source_frame, time)

    def lookup_transform_full(
        self,
        target_frame: str,
        target_time: Time,
        source_frame: str,
        source_time: Time,
        fixed_frame: str,
        timeout: Duration = NO_WAIT,
    ) -> TransformStamped:
        """Return the transform between two frames at two times, by way of a fixed frame."""
        arguments = (target_frame, target_time, source_frame, source_time, fixed_frame)
        self.can_transform_full(*arguments, timeout)
        return self.lookup_transform_full_core(*arguments)

    def can_transform(
        self,
        target_frame: str,
        source_frame: str,
        time: Time,
        timeout: Duration = NO_WAIT,
        return_debug_tuple: bool = False,
    ) -> Any:
        """
        Return whether a transform can be looked up, waiting for it if need be.

        Returns
        -------
        bool, or tuple of bool and str
            The tuple, with the reason, if ``return_debug_tuple`` is set.

        """
        found = self._wait(
            timeout, lambda: self.can_transform_core(target_frame, source_frame, time))
        return found if return_debug_tuple else found[0]

    def can_transform_full(
        self,
        target_frame: str,
        target_time: Time,
        source_frame: str,
        source_time: Time,
        fixed_frame: str,
        timeout: Duration = NO_WAIT,
        return_debug_tuple: bool = False,
    ) -> Any:
        """Return whether a transform between two times can be looked up."""
        found = self._wait(timeout, lambda: self.can_transform_full_core(
            target_frame, target_time, source_frame, source_time, fixed_frame))
        return found if return_debug_tuple else found[0]

    def wait_for_transform_async(
        self, target_frame: str, source_frame: str, time: Time,
    ) -> Future:
        """Return a future of the transform, done when it can be looked up."""
        return self._future_of(
            lambda: self.lookup_transform_core(target_frame, source_frame, time))

    def wait_for_transform_full_async(
        self,
        target_frame: str,
        target_time: Time,
        source_frame: str,
        source_time: Time,
        fixed_frame: str,
    ) -> Future:
        """Return a future of the transform between two times."""
        return self._future_of(lambda: self.lookup_transform_full_core(
            target_frame, target_time, source_frame, source_time, fixed_frame))

    async def lookup_transform_async(
        self, target_frame: str, source_frame: str, time: Time,
    ) -> TransformStamped:
        """Wait for a transform and return it."""
        return await self.wait_for_transform_async(target_frame, source_frame, time)

    async def lookup_transform_full_async(
        self,
        target_frame: str,
        target_time: Time,
        source_frame: str,
        source_time: Time,
        fixed_frame: str,
    ) -> TransformStamped:
        """Wait for a transform between two times and return it."""
        return await self.wait_for_transform_full_async(
            target_frame, target_time, source_frame, source_time, fixed_frame)

    def _future_of(self, look: Callable[[], TransformStamped]) -> Future:
        future = Future()

        def check() -> None:
            with self._changed:
                if check not in self._observers:
                    return
                found = None
                if not (future.done() or future.cancelled()):
                    try:
                        found = look()
                    except TransformException:
                        return
                self._observers.remove(check)
            if found is not None:
                future.set_result(found)

        with self._changed:
            self._observers.append(check)
        check()
        return future

    def _wait(self, timeout: Duration, check: Any) -> tuple[bool, str]:
        deadline = clock.monotonic() + timeout.nanoseconds * 1e-9
        with self._changed:
            while True:
                found: tuple[bool, str] = check()
                rest = deadline - clock.monotonic()
                if found[0] or rest <= 0.0:
                    return found
                self._changed.wait(rest)
