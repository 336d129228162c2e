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

"""The model doctor: checks of a robot description, its inertias, limits and loops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
import os
from typing import Literal, NamedTuple

import numpy as np

from mbd_ros.description.doctor.examination import examine
from mbd_ros.description.records.finding import Finding, Source
from mbd_ros.description.xml.packages import Folders
from mbd_ros.dynamics.loops.closure import loop_closure, LoopClosure
from mbd_ros.errors import (
    DescriptionError, InvalidValueError, LoopOpenError, MbdError, UnsupportedError)
from mbd_ros.model import load, load_text, Model, state

SEVERITIES = ('info', 'warning', 'error')
MOVED = 1e-6
"""[rad, m]; drawings are not more exact."""
BEGINS = 20
"""Random configurations from which loops are tried to be closed."""


class Diagnosis(NamedTuple):
    """
    What the doctor says.

    Attributes
    ----------
    findings : tuple of Finding
        By line; each has a severity, a message and, where that does not say it, what to do.
    model : Model or None
        The robot; None where the description cannot be read, which is then the last finding.

    """

    findings: tuple[Finding, ...]
    model: Model | None

    def count(self, severity: str) -> int:
        """Return the number of findings of a severity."""
        return sum(finding.severity == severity for finding in self.findings)

    @property
    def worst(self) -> str | None:
        """Return the highest severity found, None where there is nothing to remark."""
        found = [finding.severity for finding in self.findings]
        return max(found, key=SEVERITIES.index, default=None)


def check(path_or_text: str | os.PathLike[str], *, floating_base: bool = False,
          arguments: Mapping[str, object] | None = None, model: str | None = None,
          packages: Folders | None = None,
          folders: Sequence[str | os.PathLike[str]] = (),
          rotor_inertia: Literal['described', 'transmissions'] = 'described',
          ignore: Sequence[str] = ()) -> Diagnosis:
    """
    Return what is wrong with a robot description, or suspicious about it.

    Parameters
    ----------
    path_or_text, folders
        As for ``load``.
    floating_base : bool
        Whether the root link moves freely; its mass counts then.
    arguments, model, packages, rotor_inertia, ignore : optional
        As for ``load``.

    Returns
    -------
    Diagnosis
        Never raises for what stands in the description.

    """
    return _diagnosed(lambda: load(path_or_text, floating_base=floating_base, inertia='unchecked',
                                   arguments=arguments, model=model, packages=packages,
                                   folders=folders, rotor_inertia=rotor_inertia,
                                   ignore=ignore))


def check_text(text: str) -> Diagnosis:
    """
    Return what is wrong with a robot description that came as text; no file is opened for it.

    Raises
    ------
    InvalidValueError
        If it is not XML.

    """
    return _diagnosed(lambda: load_text(text, inertia='unchecked'))


def _diagnosed(loaded: Callable[[], Model]) -> Diagnosis:
    try:
        model = loaded()
    except InvalidValueError:
        raise
    except MbdError as error:
        return Diagnosis((*error.findings, _as_finding(error)), None)
    findings = [*model.findings, *examine(model.mechanism), *_open_loops(model)]
    findings.sort(key=lambda finding: (finding.line or 0, -SEVERITIES.index(finding.severity)))
    return Diagnosis(tuple(findings), model)


def _as_finding(error: MbdError) -> Finding:
    """Return the error that ended the reading as the last finding."""
    if isinstance(error, DescriptionError):
        return Finding('error', error.what, error.file, error.line,
                       'nothing can be said of the rest before this is mended')
    if isinstance(error, UnsupportedError):
        source = error.source or Source(None)
        return Finding('error', f'{error.what} is not supported in this version', source.file,
                       source.line, error.instead)
    return Finding('error', str(error))


def some_closure(model: Model) -> LoopClosure:
    """
    Return a state that satisfies all loops, found from zero or else from random configurations.

    Zero is where drawings like to have links in a line, from where no step closes a loop.

    Parameters
    ----------
    model : Model
        A robot with loops.

    Returns
    -------
    LoopClosure
        ``.moved`` counts from zero, or is infinite if another begin was needed.

    Raises
    ------
    LoopOpenError
        As from zero, if no begin leads to a closed state.

    """
    rest = np.zeros(model.nv)
    try:
        return loop_closure(model, state.neutral(model), rest)
    except LoopOpenError as error:
        first = error
    rng = np.random.default_rng(0)
    for _ in range(BEGINS):
        try:
            closure = loop_closure(model, state.random_configuration(model, rng), rest)
        except LoopOpenError:
            continue
        return closure._replace(moved=np.full(model.nv, np.inf))
    raise first


def _open_loops(model: Model) -> list[Finding]:
    """Return the loop that cannot be closed, or how far from zero the loops close."""
    if not model.loops or any(finding.severity == 'error' for finding in model.findings):
        return []
    sources = {loop.name: loop.source for loop in model.mechanism.loop_joints}
    try:
        farthest = float(np.abs(some_closure(model).moved).max())
    except LoopOpenError as error:
        source = sources[error.loop]
        return [Finding('error', f'{error}, nor from {BEGINS} other begins', source.file,
                        source.line, 'look whether the frames of the loop joint are in the axes '
                        'of their links, and whether the links are long enough')]
    if farthest < MOVED:
        return []
    how = (f'they close after moving a joint by {farthest:.4g}' if farthest < np.inf else
           'they cannot be closed from there, but from elsewhere')
    source = sources[model.loops[0].name]
    return [Finding('info', f'the loops are open where all joints are at zero; {how}', source.file,
                    source.line, 'begin at the state that close_loops returns')]
