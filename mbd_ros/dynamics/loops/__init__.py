"""States and efforts of robots with closed loops: closure, efforts, diagnosis."""

from typing import TYPE_CHECKING

from mbd_ros.on_demand import on_demand

if TYPE_CHECKING:
    from mbd_ros.dynamics.loops import closure, efforts
else:
    __getattr__, __dir__ = on_demand(__name__, {}, ('closure', 'efforts'))

__all__ = ['closure', 'efforts']
