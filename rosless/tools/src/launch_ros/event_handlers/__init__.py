"""Reactions to events that are special to ROS."""

from launch_ros.event_handlers.on_state_transition import OnStateTransition

__all__ = [
    'OnStateTransition',
]
