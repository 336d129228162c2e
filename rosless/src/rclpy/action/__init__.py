"""Actions: goals that take time, with feedback on the way and a result at the end."""

from .client import ActionClient
from .graph import (
    get_action_client_names_and_types_by_node,
    get_action_names_and_types,
    get_action_server_names_and_types_by_node,
)
from .responses import CancelResponse, GoalResponse
from .server import ActionServer

__all__ = [
    'ActionClient',
    'ActionServer',
    'CancelResponse',
    'GoalResponse',
    'get_action_client_names_and_types_by_node',
    'get_action_names_and_types',
    'get_action_server_names_and_types_by_node',
]
