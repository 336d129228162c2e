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

"""What the callback of a transition returns."""

from __future__ import annotations

from enum import Enum

from lifecycle_msgs.msg import Transition


class TransitionCallbackReturn(Enum):
    """How a transition went: done, not done, or in error."""

    SUCCESS = Transition.TRANSITION_CALLBACK_SUCCESS
    FAILURE = Transition.TRANSITION_CALLBACK_FAILURE
    ERROR = Transition.TRANSITION_CALLBACK_ERROR

    def to_label(self) -> str:
        """Return the label of the transition that follows, for example 'transition_success'."""
        return f'transition_{self.name.lower()}'
