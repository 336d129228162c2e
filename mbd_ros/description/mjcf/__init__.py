"""MuJoCo's format: kinematics, inertia and equality constraints."""

from typing import TYPE_CHECKING

from mbd_ros.on_demand import on_demand

if TYPE_CHECKING:
    from mbd_ros.description.mjcf.robot import read_mjcf
else:
    __getattr__, __dir__ = on_demand(__name__, {'mbd_ros.description.mjcf.robot': ('read_mjcf',)})

__all__ = ['read_mjcf']
