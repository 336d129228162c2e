"""Motion in time: integrators, simulation of a whole run, stepping beside a clock."""

from mbd_ros.simulation.integrators import rk4_step
from mbd_ros.simulation.motion import FreeMotion, Motion
from mbd_ros.simulation.simulate import simulate, Trajectory
from mbd_ros.simulation.stepper import Stepper

__all__ = ['FreeMotion', 'Motion', 'Stepper', 'Trajectory', 'rk4_step', 'simulate']
