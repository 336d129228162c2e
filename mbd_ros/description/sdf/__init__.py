"""SDFormat: links, joints, frames, and loops of joints."""

from typing import TYPE_CHECKING

from mbd_ros.on_demand import on_demand

if TYPE_CHECKING:
    from mbd_ros.description.sdf.robot import read_sdf
else:
    __getattr__, __dir__ = on_demand(__name__, {'mbd_ros.description.sdf.robot': ('read_sdf',)})

__all__ = ['read_sdf']
