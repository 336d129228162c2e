"""Reactions to events."""

from launch.event_handlers.on_execution_complete import OnExecutionComplete
from launch.event_handlers.on_process_exit import OnProcessExit
from launch.event_handlers.on_process_io import OnProcessIO
from launch.event_handlers.on_process_start import OnProcessStart
from launch.event_handlers.on_shutdown import OnShutdown

__all__ = [
    'OnExecutionComplete',
    'OnProcessExit',
    'OnProcessIO',
    'OnProcessStart',
    'OnShutdown',
]
