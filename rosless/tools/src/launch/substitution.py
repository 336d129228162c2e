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

"""Base of everything that becomes a text only while launching."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class Substitution:
    """A text that is computed when a launch description is executed."""

    def describe(self) -> str:
        """Return a text for people that shows what this substitution is."""
        return repr(self)

    def perform(self, context: LaunchContext) -> str:
        """
        Compute the text.

        Parameters
        ----------
        context : LaunchContext
            State of the launch: configurations, environment, locals.

        Returns
        -------
        str
            The text that takes the place of the substitution.

        """
        raise NotImplementedError(f'{type(self).__name__} does not implement perform()')
