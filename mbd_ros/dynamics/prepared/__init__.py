"""A model made ready: checked calls of programs as machine code."""

from typing import TYPE_CHECKING

from mbd_ros.on_demand import on_demand

if TYPE_CHECKING:
    from mbd_ros.dynamics.prepared import closed_loop_derivatives, rank
else:
    __getattr__, __dir__ = on_demand(__name__, {}, ('closed_loop_derivatives', 'rank'))

__all__ = ['closed_loop_derivatives', 'rank']
