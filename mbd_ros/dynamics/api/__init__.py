"""The public functions of dynamics."""

from typing import TYPE_CHECKING

from mbd_ros.on_demand import on_demand

if TYPE_CHECKING:
    from mbd_ros.dynamics.api import elastic
else:
    __getattr__, __dir__ = on_demand(__name__, {}, ('elastic',))

__all__ = ['elastic']
