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

"""From a file to a Model in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
import os
from typing import Literal

import numpy as np

from mbd_ros.description.read import read, read_text
from mbd_ros.description.records.budget import reading
from mbd_ros.description.records.finding import Finding
from mbd_ros.description.records.mechanism import Mechanism
from mbd_ros.description.xml.packages import Folders
from mbd_ros.errors import DescriptionError, InvalidValueError, SingularMassError
from mbd_ros.model.body_check import body_errors
from mbd_ros.model.build import build_model
from mbd_ros.model.flexible.strips import strips
from mbd_ros.model.lock import lock
from mbd_ros.model.loops import require_compilable
from mbd_ros.model.model import Model
from mbd_ros.model.singular import mass_errors


@reading()
def load(path_or_text: str | os.PathLike[str], *, floating_base: bool = False,
         mimic: bool = False, flexible: bool = True,
         inertia: Literal['checked', 'unchecked', 'from_shapes'] = 'checked',
         xacro: Literal['checked', 'trusted'] = 'checked',
         arguments: Mapping[str, object] | None = None, model: str | None = None,
         packages: Folders | None = None, folders: Sequence[str | os.PathLike[str]] = (),
         locked: Mapping[str, float] | None = None,
         rotor_inertia: Literal['described', 'transmissions'] = 'described',
         ignore: Sequence[str] = ()) -> Model:
    """
    Read a robot description and compile it to a Model.

    Parameters
    ----------
    path_or_text : str or path
        Path of a URDF, xacro, MJCF, SDFormat or ``.yaml`` (module graph) file, or XML text. A path
        may begin with ``~`` or ``package://NAME/``.
    floating_base : bool
        Whether the root link moves freely instead of being part of the ground.
    mimic : bool
        Whether mimic joints are coupled to the joint they mimic, exactly, each by a row in
        ``model.loops``; by default they are ordinary joints. ``q`` and ``v`` hold them either way.
    flexible : bool
        Whether links with ``<mbd:flexible>`` bend: their coordinates, ``model.elastic_names``,
        follow those of all joints in ``q`` and ``v``. If not, these links are rigid.
    inertia : {'checked', 'unchecked', 'from_shapes'}
        ``'checked'`` refuses mass properties no body can have and joints that move no inertia;
        ``'unchecked'`` turns these errors into findings of severity ``'error'``;
        ``'from_shapes'`` gives links of URDF and SDFormat that have no ``<inertial>`` that of
        their collision shapes, else of their visual ones, at 1000 kg/m^3, with a finding a link.
    xacro : {'checked', 'trusted'}
        ``'trusted'`` lets a xacro file do all that xacro allows, which includes running code; by
        default its expressions are arithmetic and it reads files of known packages only.
    arguments : mapping, optional
        Values of the ``<xacro:arg>`` of a xacro file, text or numbers: ``{'rods': 3}``.
    model : str, optional
        Which ``<model>`` of an SDFormat file; by default the only one that is not static.
    packages : mapping, optional
        Folders of packages by name, for ``$(find NAME)`` in xacro and ``package://NAME``.
    folders : sequence of str or path, optional
        Folders that the description may include files of, besides its package or repository, or
        the folder above its own where it is in none.
    locked : mapping of str to float, optional
        Joints that are held at a position [rad or m], as by ``lock``, before it is looked whether
        each joint moves a mass: fingers without one, say.
    rotor_inertia : {'described', 'transmissions'}
        ``'transmissions'`` adds the inertia of motors' rotors that ``<transmission>`` of a URDF
        gives, times the square of the gear ratio: ``motorInertia`` and ``mechanicalReduction``, or
        ``drake:rotor_inertia`` and ``drake:gear_ratio``.
    ignore : sequence of str, optional
        What is left out of the equations, with a finding, instead of being refused because this
        package does not read it: of ``'actuators'``, ``'closing'``, ``'fluid'``,
        ``'kinematic'``, ``'tendons'``; see docs/formats.md.

    Returns
    -------
    Model
        Frozen arrays; ``model.findings`` holds what the reader remarked.

    Raises
    ------
    DescriptionError
        If the description cannot be read; the message has file and line.
    SingularMassError
        If a joint moves no inertia.
    UnsupportedError
        If the description has something this version cannot do.
    InvalidValueError
        If an argument is not one of those above.

    """
    _check_options(floating_base, mimic, flexible, inertia, 'from_shapes')
    if not isinstance(path_or_text, (str, os.PathLike)) or path_or_text == '':
        raise InvalidValueError('path_or_text', path_or_text, 'the path of a file, or XML text')
    if xacro not in ('checked', 'trusted'):
        raise InvalidValueError('xacro', xacro, "'checked' or 'trusted'")
    mechanism = read(path_or_text, mimic=mimic, inertia=inertia, xacro=xacro, arguments=arguments,
                     model=model, packages=packages, folders=folders,
                     rotor_inertia=rotor_inertia, ignore=ignore)
    return _model_of(mechanism, floating_base, mimic, flexible, inertia, locked)


@reading()
def load_text(text: str, *, floating_base: bool = False, mimic: bool = False,
              flexible: bool = False,
              inertia: Literal['checked', 'unchecked'] = 'checked') -> Model:
    """
    Read a robot description that came as text, from a topic or service; no file is opened for it.

    Parameters
    ----------
    text : str
        URDF, MJCF or SDFormat.
    floating_base, mimic, inertia
        As for ``load``.
    flexible : bool
        As for ``load``, but off: who takes texts says whether its messages name elastic
        coordinates.

    Returns
    -------
    Model
        As of ``load``.

    Raises
    ------
    InvalidValueError
        If it is not XML text, such as the name of a file.
    DescriptionError, SingularMassError, UnsupportedError
        As for ``load``; the first also for more loops than ``require_compilable`` allows.

    """
    _check_options(floating_base, mimic, flexible, inertia)
    mechanism = read_text(text, mimic=mimic, inertia=inertia)
    model = _model_of(mechanism, floating_base, mimic, flexible, inertia)
    require_compilable(model.loops, model.parents, model.body_names)
    return model


def _check_options(floating_base: bool, mimic: bool, flexible: bool, inertia: str,
                   *others: str) -> None:
    for name, flag in (('floating_base', floating_base), ('mimic', mimic),
                       ('flexible', flexible)):
        if not isinstance(flag, (bool, np.bool_)):
            raise InvalidValueError(name, flag, 'True or False')
    allowed = ('checked', 'unchecked', *others)
    if inertia not in allowed:
        raise InvalidValueError('inertia', inertia, ' or '.join(map(repr, allowed)))


def _model_of(mechanism: Mechanism, floating_base: bool, mimic: bool, flexible: bool, inertia: str,
              locked: Mapping[str, float] | None = None) -> Model:
    """Return the model of a mechanism, with what cannot move as an error or a finding."""
    model = build_model(mechanism, floating_base=floating_base, mimic=mimic, flexible=flexible)
    if locked is not None:
        model = lock(model, locked)
    errors: list[DescriptionError | SingularMassError] = [*body_errors(model), *mass_errors(model)]
    if errors and inertia != 'unchecked':
        errors[0].findings = mechanism.findings
        raise errors[0]
    findings = [Finding('error', error.what if isinstance(error, DescriptionError) else str(error),
                        error.file or mechanism.file, error.line) for error in errors]
    findings += [] if flexible else [Finding(
        'warning', f"link '{body.link}': <mbd:flexible> is not used: the link is rigid, as it was "
        'loaded', body.source.file, body.source.line) for body in mechanism.flexibles]
    findings += [] if flexible else [Finding(
        'warning', f"joint '{joint.name}': <mbd:series_elastic> is not used: the transmission is "
        'rigid, as it was loaded', joint.source.file, joint.source.line)
        for joint in mechanism.joints if joint.dynamics.series_stiffness]
    bent = {body.link: body for body in mechanism.flexibles} if model.elastic is not None else {}
    findings += [Finding(
        'info', f"link '{fluid.link}' bends in a fluid: <mbd:fluid> acts on its undeformed shape, "
        'moves it as a whole and does not bend it; a rigid link fixed to it does, and so does the '
        'fluid of a beam whose centre of buoyancy is about its middle',
        fluid.source.file, fluid.source.line) for fluid in mechanism.fluids
        if fluid.link in bent and strips(fluid, bent[fluid.link]) is None]
    return replace(model, findings=(*model.findings, *findings)) if findings else model
