"""The fluid that parameters describe."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mbd_ros.environment.immersion import Fluid
from mbd_ros.environment.surroundings import immersed
from mbd_ros.model import Model


def fluid_of(settings: Any) -> Fluid | None:
    """
    Return the fluid around links with ``<mbd:fluid>``.

    Parameters
    ----------
    settings : SimpleNamespace
        The parameters of the group ``fluid``.

    Returns
    -------
    Fluid or None
        None for a vacuum.

    """
    if settings.vacuum:
        return None
    return Fluid(settings.density, settings.current,
                 settings.surface if settings.has_surface else None)


def into_fluid(settings: Any) -> Callable[[Model], Model]:
    """Return what puts a robot into the fluid of the parameters."""
    return lambda model: immersed(model, fluid_of(settings))
