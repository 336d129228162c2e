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

"""The launch is to end."""

from launch.event import Event


class Shutdown(Event):
    """
    Asks everything to end.

    Parameters
    ----------
    reason : str
        Why.
    due_to_sigint : bool
        Whether the user pressed Ctrl-C.

    """

    name = 'launch.events.Shutdown'

    def __init__(
        self, *, reason: str = 'reason not given', due_to_sigint: bool = False,
    ) -> None:
        self.__reason = reason
        self.__due_to_sigint = due_to_sigint

    @property
    def reason(self) -> str:
        """Why the launch is to end."""
        return self.__reason

    @property
    def due_to_sigint(self) -> bool:
        """Whether the user pressed Ctrl-C."""
        return self.__due_to_sigint
