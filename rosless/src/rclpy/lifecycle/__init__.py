"""Managed nodes: others configure, activate, deactivate and shut them down, step by step."""

from .callback_return import TransitionCallbackReturn
from .managed_entity import ManagedEntity, SimpleManagedEntity
from .node import LifecycleNode, LifecycleNodeMixin
from .publisher import LifecyclePublisher
from .state_machine import LifecycleState

Node = LifecycleNode
NodeMixin = LifecycleNodeMixin
State = LifecycleState
Publisher = LifecyclePublisher

__all__ = [
    'LifecycleNode',
    'LifecycleNodeMixin',
    'LifecyclePublisher',
    'LifecycleState',
    'ManagedEntity',
    'Node',
    'NodeMixin',
    'Publisher',
    'SimpleManagedEntity',
    'State',
    'TransitionCallbackReturn',
]
