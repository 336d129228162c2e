# Copyright 2026 The authors of mbd_ros
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
# in compliance with the License. You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software distributed under the License
# is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
# or implied. See the License for the specific language governing permissions and limitations under
# the License.

"""Which force laws act on a robot, from what users say of its surroundings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mbd_ros.environment.contact import Ground
from mbd_ros.environment.contact import NAME as GROUND
from mbd_ros.environment.fluid_law import Fluid, TERMS
from mbd_ros.environment.fluid_law import NAME as FLUID
from mbd_ros.environment.gravity_compensation import GravityCompensation
from mbd_ros.environment.gravity_compensation import NAME as LIFT
from mbd_ros.errors import InvalidValueError
from mbd_ros.model import Model
from mbd_ros.model.caches import owned

FRESH_WATER = Fluid()
"""Without current and surface: what robots with fluid annotations are in unless told otherwise."""


class _Default:
    """The value of ``fluid`` that is left out."""

    def __repr__(self) -> str:
        return 'fresh water for robots with <mbd:fluid>'


DEFAULT: Any = _Default()


def surrounded(model: Model, fluid: Any = DEFAULT, ground: Any = None
               ) -> tuple[Model, dict[str, Any]]:
    """
    Return a robot under the laws of its surroundings, and what these read of the world.

    Parameters
    ----------
    model : Model
        The robot.
    fluid : Fluid or None, optional
        What is around links with ``<mbd:fluid>``; None is a vacuum. If left out, the fluid that
        acts on the model already, or else fresh water.
    ground : Ground, optional
        What points of ``<mbd:contact>`` touch.

    Returns
    -------
    tuple of Model and dict
        The same object where nothing acts on the robot; a robot in a vacuum has no ``fluids``.
        What takes off weight acts on any robot that has it.

    Raises
    ------
    InvalidValueError
        If an argument is not one of those.

    """
    if fluid is not None and fluid is not DEFAULT and not isinstance(fluid, Fluid):
        raise InvalidValueError('fluid', fluid, 'a mbd_ros.Fluid, or None for a vacuum')
    if ground is not None and not isinstance(ground, Ground):
        raise InvalidValueError('ground', ground, 'a mbd_ros.Ground, or None')
    world: dict[str, Any] = {}
    if model.lifted and not _has(model, LIFT):
        model = _with(model, GravityCompensation())
    if fluid is None:
        model = in_vacuum(model)
    elif model.fluids and not (fluid is DEFAULT and _has(model, FLUID)):
        around = FRESH_WATER if fluid is DEFAULT else fluid
        model, world[FLUID] = _with(model, around.law), around.water()
    if ground is not None and model.contacts:
        model, world[GROUND] = _with(model, ground.law), ground.surface
    return model, world


def immersed(model: Model, fluid: Fluid | None) -> Model:
    """
    Return a robot that is in a fluid wherever it goes: all functions know it.

    Parameters
    ----------
    model : Model
        The robot.
    fluid : Fluid or None
        What is around links with ``<mbd:fluid>``; None for a vacuum.

    Returns
    -------
    Model
        With the numbers of the fluid as those of its law; a field as it is at the origin.

    """
    if fluid is None:
        return in_vacuum(model)
    return _with(model, replace(fluid.law, world=fluid.water())) if model.fluids else model


def in_vacuum(model: Model) -> Model:
    """Return a robot that no fluid acts on; the same object for the same robot."""
    return _vacuum(model) if model.fluids or _has(model, FLUID) else model


def with_terms(model: Model, *terms: str) -> Model:
    """Return a robot on which only some of ``TERMS`` of the fluid's law act that acts on it."""
    unknown = set(terms) - set(TERMS)
    if unknown:
        raise InvalidValueError('terms', sorted(unknown), f'of {", ".join(TERMS)}')
    return model.with_laws(*(replace(law, terms=terms) if law.name == FLUID else law
                             for law in model.laws))


@owned()
def without_laws(model: Model) -> Model:
    """Return a robot with its loops and springs, on which nothing around it acts."""
    return in_vacuum(replace(model, laws=(), lifted=()))


@owned()
def _vacuum(model: Model) -> Model:
    return replace(model, fluids=(), laws=tuple(law for law in model.laws if law.name != FLUID))


def _has(model: Model, name: str) -> bool:
    return any(law.name == name for law in model.laws)


def _with(model: Model, law: Any) -> Model:
    """Return a robot with a law in the place of the one of its name."""
    return model.with_laws(*(one for one in model.laws if one.name != law.name), law)
