"""Motion in time: integrators, simulation of a whole run, stepping beside a clock."""

from mbd_ros.simulation.integrators import rk4_step
from mbd_ros.simulation.motion import FreeMotion, Motion
from mbd_ros.simulation.simulate import simulate
from mbd_ros.simulation.stepper import Stepper
from mbd_ros.simulation.trajectory import load_trajectory, Trajectory

__all__ = ['FreeMotion', 'Motion', 'Stepper', 'Trajectory', 'load_trajectory', 'rk4_step',
           'simulate']
