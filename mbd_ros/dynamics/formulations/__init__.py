"""Formulations of the equations of motion, a file each, and the registry of their names."""

from typing import TYPE_CHECKING

from mbd_ros.on_demand import on_demand

if TYPE_CHECKING:
    from mbd_ros.dynamics.formulations import augmented, flexible, jourdain, kane
else:
    __getattr__, __dir__ = on_demand(__name__, {}, ('augmented', 'flexible', 'jourdain', 'kane'))

__all__ = ['augmented', 'flexible', 'jourdain', 'kane']
