"""What surroundings do to bodies: force laws, a file each, that every formulation asks."""

from mbd_ros.environment.law import Law, Motion
from mbd_ros.execution.program.sweeps import World

__all__ = ['Law', 'Motion', 'World']
