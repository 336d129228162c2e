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
