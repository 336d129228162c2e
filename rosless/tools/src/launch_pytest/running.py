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

"""A launch that runs in a thread beside tests."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
import threading
from typing import Any

from launch import LaunchDescription
from launch import LaunchService
from launch.launch_service import cancel_others
from launch_testing.actions import ReadyToTest
from launch_testing.loader import entities_of

READY_TIMEOUT = 15.0  # s, as launch_testing has it
PERIOD = 0.01  # s, between two looks whether coroutines have ended


class RunningLaunch:
    """
    A launch service in a thread of its own.

    Parameters
    ----------
    description : LaunchDescription
        What is launched; `ReadyToTest` is appended where it has none.
    shutdown_when_idle : bool
        Whether it ends when no process is left.

    Raises
    ------
    RuntimeError
        If there are several `ReadyToTest`.
    TimeoutError
        If the tests cannot begin in time.

    """

    def __init__(
        self, description: LaunchDescription, *, shutdown_when_idle: bool = True
    ) -> None:
        ready = [each for each in entities_of(description) if isinstance(each, ReadyToTest)]
        if len(ready) > 1:
            raise RuntimeError('a launch description of tests can have only one ReadyToTest '
                               f'action, found {len(ready)}')
        if not ready:
            ready = [ReadyToTest()]
            description.add_action(ready[0])
        self.service = LaunchService()
        self._begun = threading.Event()
        ready[0]._add_callback(self._begun.set)
        self._loop = asyncio.new_event_loop()
        self._lock = threading.Lock()
        self._ended = False
        self._coroutines = 0  # of tests, that run in the loop
        self.service.include_launch_description(description)
        self._thread = threading.Thread(
            target=self._run, args=(shutdown_when_idle,), name='launch_pytest', daemon=True)
        self._thread.start()
        if not self._begun.wait(READY_TIMEOUT):
            self.stop()
            raise TimeoutError(f'no ReadyToTest in {READY_TIMEOUT:g} s')

    def _run(self, shutdown_when_idle: bool) -> None:
        try:
            self._loop.run_until_complete(self._serve(shutdown_when_idle))
        finally:
            self._begun.set()
            self._loop.close()

    async def _serve(self, shutdown_when_idle: bool) -> None:
        """Run the launch, and then the coroutines that have begun beside it."""
        await self.service.run_async(shutdown_when_idle=shutdown_when_idle)
        with self._lock:
            self._ended = True
        while self._coroutines:
            await asyncio.sleep(PERIOD)
        await cancel_others()

    def stop(self) -> None:
        """End it, and wait until all its processes have ended."""
        if self._thread.is_alive():
            self.service.shutdown()
            self._thread.join()

    def wait_for(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine in the loop of the launch, or in one of its own if that has ended."""
        with self._lock:
            ended = self._ended
            self._coroutines += not ended
        if ended:
            return asyncio.run(coroutine)
        try:
            return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()
        finally:
            with self._lock:
                self._coroutines -= 1
