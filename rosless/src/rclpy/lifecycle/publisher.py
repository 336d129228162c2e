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

"""Publishers of managed nodes."""

from __future__ import annotations

from typing import Any

from .managed_entity import SimpleManagedEntity
from ..publisher import Publisher


class LifecyclePublisher(SimpleManagedEntity, Publisher):
    """
    Publishes only while its node is active; what is published otherwise is dropped silently.

    Make one with `LifecycleNode.create_lifecycle_publisher`; see there for the parameters.

    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        SimpleManagedEntity.__init__(self)
        Publisher.__init__(self, *args, **kwargs)

    @SimpleManagedEntity.when_enabled
    def publish(self, msg: Any) -> None:
        """
        Send a message if the node is active.

        Raises
        ------
        TypeError
            If it is of another type.

        """
        Publisher.publish(self, msg)
