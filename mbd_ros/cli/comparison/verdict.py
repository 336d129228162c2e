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


"""One file compared with its home engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
import importlib
from pathlib import Path
import re
from typing import Any

import numpy as np

import mbd_ros
from mbd_ros.cli.comparison.format_round_trip import Written, written
from mbd_ros.cli.comparison.quantities import (
    Array, Difference, difference, Evaluation, Peer, PeerError, Quantities, rate_names)
from mbd_ros.description.read import read
from mbd_ros.description.records.mechanism import Mechanism
from mbd_ros.description.xml.file_content import is_xacro
from mbd_ros.description.xml.xacro_file import expand_xacro
from mbd_ros.errors import MbdError
from mbd_ros.model import build_model, Model
from mbd_ros.model.couplings import coupling_map
from mbd_ros.model.state import random_configuration

EQUAL, NOT_EQUAL, REFUSED, BY_BOTH, UNCOMPARED, FAILED = (
    'equal', 'not equal', 'refused', 'refused by both', 'not compared', 'failed')
"""What may come out; ``FAILED``: this package crashed, or took too long."""

TOLERANCE = 1e-9
"""What engines differ by in rounding, with links of some grams at the end of long arms."""
COMPILED = 1e-12
"""What machine code and interpreter differ by: the order of sums."""
STATES = 3

ENGINES = {'robot': ('pinocchio', 'Pinocchio', 'pip install pin'),
           'mujoco': ('mujoco', 'MuJoCo', 'pip install mujoco'),
           'sdf': ('drake', 'Drake', 'pip install drake')}
"""By root element: the module ``NAME_peer``, the name, and how to get it."""
FORMATS = {'robot': 'URDF', 'mujoco': 'MJCF', 'sdf': 'SDFormat'}

_ROOT = re.compile(rb'<([A-Za-z_][\w.:-]*)')
_COMMENT = re.compile(rb'<!--.*?-->', re.DOTALL)


@dataclass(frozen=True)
class Verdict:
    """
    What came out for a file.

    Attributes
    ----------
    file, source, format : str
        The file, what the user named to get it, and what it is: URDF, xacro, MJCF or SDFormat.
    status : str
        One of those above.
    reason : str
        Why not, or what differs most.
    figure : float or None
        The largest difference, relative as ``difference`` says.
    compiled : float or None
        The same between machine code and interpreter, where it was asked for.
    written : tuple of Written
        What came of the robot by way of other formats, where it was asked for.

    """

    file: str
    source: str
    format: str
    status: str
    reason: str = ''
    figure: float | None = None
    compiled: float | None = None
    written: tuple[Written, ...] = ()


@dataclass(frozen=True)
class Case:
    """A file to compare, what it is, and how it is to be read (the arguments of ``read``)."""

    file: str
    source: str
    format: str
    reading: Mapping[str, Any]
    tolerance: float = TOLERANCE
    compiled: bool = False
    written: bool = False


def format_of(path: Path) -> str:
    """Return what a file is, by its ending or its root element."""
    return 'xacro' if is_xacro(path) else FORMATS.get(root_of(path), 'none')


def root_of(path: Path) -> str:
    """Return the root element of an XML file, as far as one can tell without reading it all."""
    with path.open('rb') as file:
        found = _ROOT.search(_COMMENT.sub(b'', file.read(1 << 16)))
    return '' if found is None else found[1].decode()


def compare(case: Case, at: Callable[[str], None]) -> Verdict:
    """
    Return the verdict on a file.

    Parameters
    ----------
    case : Case
        The file.
    at : callable
        Is told what is being done: ``'reading'``, ``'peer'`` or ``'numbers'``.

    """
    verdict = Verdict(case.file, case.source, case.format, UNCOMPARED)
    at('reading')
    mechanism, model, refusal = None, None, ''
    try:
        mechanism = read(case.file, **case.reading)
        model = _tree(mechanism, case)
    except MbdError as error:
        refusal = str(error)
    if model is not None and model.nv == 0:
        return replace(verdict, reason='nothing moves')
    compiled = None if model is None or not case.compiled else machine_code(model)
    if compiled is not None and not compiled.figure <= COMPILED:
        return replace(verdict, status=NOT_EQUAL, compiled=compiled.figure,
                       reason=f'machine code: {compiled.where}')
    verdict = replace(verdict, compiled=None if compiled is None else compiled.figure)
    if case.written and model is not None and mechanism is not None:
        verdict = replace(verdict, written=tuple(written(
            _bodies(mechanism), model, largest, partial(ours, executor='interpreted'))))
        for one in verdict.written:
            if one.figure is not None and not one.figure <= case.tolerance:
                return replace(verdict, status=NOT_EQUAL, reason=(
                    f'written as {one.form}, read by {one.reader}: {one.reason}'))
    at('peer')
    peer, missing = open_peer(case)
    if model is None or mechanism is None:
        status = REFUSED if peer is not None else BY_BOTH if 'refuses' in missing else UNCOMPARED
        return replace(verdict, status=status, reason=refusal)
    if peer is None:
        return replace(verdict, reason=missing)
    at('numbers')
    mechanism, note = peer.rounded(mechanism)
    model = _tree(mechanism, case) if note else model
    try:
        worst = largest(model, peer.evaluation(mechanism, model))
    except PeerError as error:
        if mechanism.loop_joints:   # engines of trees take others of the joints of a loop
            return replace(verdict, reason=f'closes loops: {error}')
        return replace(verdict, status=NOT_EQUAL, reason=str(error))
    equal = worst.figure <= case.tolerance
    return replace(verdict, status=EQUAL if equal else NOT_EQUAL, figure=worst.figure,
                   reason=note if equal else worst.where)


def _tree(mechanism: Mechanism, case: Case) -> Model:
    """Return what engines of trees compare: bodies and joints, of MJCF with passive forces."""
    bodies = _bodies(mechanism)
    if case.format != 'MJCF':
        return build_model(bodies)
    return build_model(replace(   # dampers are no part of what is compared
        bodies, links=mechanism.links, joints=mechanism.joints, fluids=mechanism.fluids,
        springs=tuple(replace(one, damping=0.0) for one in mechanism.springs)))


def _bodies(mechanism: Mechanism) -> Mechanism:
    """Return bodies and joints alone, without springs and with all their weight."""
    joints = tuple(replace(one, dynamics=replace(one.dynamics, springs=()))
                   for one in mechanism.joints)
    links = tuple(replace(one, gravity_compensation=0.0) for one in mechanism.links)
    return replace(mechanism, links=links, joints=joints, loop_joints=(), springs=(), fluids=(),
                   flexibles=(), contacts=(), thrusters=())


def open_peer(case: Case) -> tuple[Peer | None, str]:
    """Return the file in its home engine, or None and why it is not there."""
    text = None
    try:
        if case.format == 'xacro':
            options = {key: case.reading.get(key) for key in ('arguments', 'packages')}
            text = expand_xacro(case.file, trusted=True, **options,
                                folders=case.reading.get('folders', ())).decode()
            root = 'robot'
        else:
            root = root_of(Path(case.file))
    except MbdError as error:
        return None, f'xacro refuses it: {error}'
    if root not in ENGINES:
        return None, f'no engine refuses or reads <{root}>'
    module, name, how = ENGINES[root]
    try:
        engine: Any = importlib.import_module(f'mbd_ros.cli.comparison.{module}_peer')
    except ImportError:
        return None, f'{name} is not installed ({how})'
    try:
        peer = getattr(engine, f'{module.capitalize()}Peer')(
            case.file, text, case.reading.get('model'))
    except Exception as error:  # engines raise what they like
        return None, f'{name} refuses it: {" ".join(str(error).split())[:500]}'
    return peer, ''


def ours(model: Model, executor: str) -> Evaluation:
    """Return what this package computes."""
    def evaluate(q: Array, v: Array, acceleration: Array) -> Quantities:
        return Quantities(
            mbd_ros.mass_matrix(model, q, executor=executor),
            mbd_ros.bias_forces(model, q, np.zeros(model.nv), executor=executor),
            mbd_ros.inverse_dynamics(model, q, v, acceleration, executor=executor))

    return evaluate


def largest(model: Model, expected: Evaluation, executor: str = 'interpreted') -> Difference:
    """Return the largest difference of some random states, the same ones each time."""
    rng = np.random.default_rng(1)
    free, _, independent = coupling_map(model)   # screws and gears: one rate for both joints
    names = [rate_names(model)[k] for k in independent]
    tied = [loop for loop in model.loops if loop.kind == 'mimic']
    found = ours(model, executor)
    weight = 9.81 * sum(model.masses) ** 0.5
    worst = Difference(0.0, '')
    for _ in range(STATES if free.shape[1] else 0):   # of what moves
        q = random_configuration(model, rng)
        for _ in tied:   # a follower may follow a follower
            for loop in tied:
                ratio, offset = loop.coupling
                q[model.q_offsets[loop.body1]] = ratio * q[model.q_offsets[loop.body2]] + offset
        state = (q, *(rng.normal(size=(2, free.shape[1])) @ free.T))
        apart = difference(found(*state).along(free), expected(*state).along(free), names, weight)
        if apart.figure > worst.figure:
            worst = apart
    return worst


def machine_code(model: Model) -> Difference:
    """Return the largest difference between machine code and interpreter."""
    return largest(model, ours(model, 'interpreted'), 'compiled')
