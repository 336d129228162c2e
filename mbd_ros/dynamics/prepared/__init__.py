"""Prepared dynamics of a model: checked calls of compiled programs."""

from typing import TYPE_CHECKING

from mbd_ros.on_demand import on_demand

if TYPE_CHECKING:
    from mbd_ros.dynamics.prepared import rank, traced_derivatives
else:
    __getattr__, __dir__ = on_demand(__name__, {}, ('rank', 'traced_derivatives'))

__all__ = ['rank', 'traced_derivatives']
