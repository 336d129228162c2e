"""Events of managed nodes."""

from launch_ros.events.lifecycle.change_state import ChangeState
from launch_ros.events.lifecycle.state_transition import StateTransition

__all__ = [
    'ChangeState',
    'StateTransition',
]
