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

"""A recorded run: its arrays, a plot of them, and files."""

from __future__ import annotations

from collections.abc import Mapping
import csv
import os
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.finding import Finding
from mbd_ros.description.write.kept_urdf_elements import kept_elements, kept_shapes
from mbd_ros.description.write.urdf import urdf_text
from mbd_ros.description.xml.arrays import read_arrays
from mbd_ros.dynamics.functions.equations_of_motion import energy
from mbd_ros.errors import DescriptionError, InvalidValueError, MbdError, UnsupportedError
from mbd_ros.model import Model
from mbd_ros.model.load import load_text
from mbd_ros.model.lock import build_options
from mbd_ros.model.state import adding_entries
from mbd_ros.simulation.adaptive import Crossing, DenseState
from mbd_ros.simulation.bags import (
    coordinate_names, is_bag, JointRecording, read_bag, states_in, write_bag)
from mbd_ros.simulation.change_points import ChangePoint
from mbd_ros.simulation.manifold import Vector
from mbd_ros.simulation.motion import INTEGRATOR

LEGEND = 12
"""Curves that a plot names."""
ARRAYS = ('time', 'q', 'v', 'energy', 'violation', 'violation_rate', 'balance', 'rank',
          'condition', 'injected')
PART, ROBOT = 'part ', 'robot'
OPTIONS = ('floating_base', 'mimic', 'flexible')
NOTHING = np.zeros(0)
HELD = ('kinetic', 'potential')
"""Parts that are energies; all others were put in."""


class Energy(np.ndarray):
    """
    Kinetic plus potential energy (K,) [J]: an array, and where it comes from.

    Attributes
    ----------
    parts : mapping of str to Vector
        As ``Trajectory.parts``; empty of what is computed from it.

    """

    parts: Mapping[str, Vector]

    def __array_finalize__(self, other: object) -> None:
        """Begin without parts: those of a slice or a sum would not be its own."""
        self.parts = MappingProxyType({})

    def __array_wrap__(self, array: Any, *_: Any) -> Any:
        """Return what is computed from it as from any array, also numbers."""
        return np.asarray(array)[()]

    def __reduce__(self) -> tuple[Any, ...]:
        """Keep the parts in copies by pickle."""
        return by_parts, (np.asarray(self), dict(self.parts))

    def __copy__(self) -> Energy:
        """Keep the parts."""
        return by_parts(np.array(self), self.parts)

    def __deepcopy__(self, _: Any) -> Energy:
        """Keep the parts."""
        return by_parts(np.array(self), {name: part.copy() for name, part in self.parts.items()})


def by_parts(total: Vector, parts: Mapping[str, Vector]) -> Energy:
    """Return energies with their parts."""
    found = np.asarray(total).view(Energy)
    found.parts = parts
    return found


class Trajectory(NamedTuple):
    """
    A recorded run of K states.

    Attributes
    ----------
    time : Vector
        (K,) [s].
    q, v : Vector
        (K, nq), (K, nv).
    energy : Vector
        (K,) kinetic plus potential energy [J]; ``energy.parts`` is ``parts``.
    violation : Vector
        (K,) norm of the constraints' violation; zeros without constraints.
    violation_rate : Vector
        (K,) norm of the rate of that; with a ``motion`` if it tells.
    balance : Vector
        (K,) energy less that at the start and all that was put in by ``parts`` [J]: the error of
        the integration, but for ``method='contact'``, of which it is the part ``integrator``; and
        the work of other force laws, and of springs' dampers on flexible robots.
    rank, condition : Vector
        (K,) of the rows of all closed loops and constraints, scaled in the metric of the mass
        matrix: how many are independent, and how far they are from fewer; none for a tree.
    injected : Vector
        (K,) energy that the corrections after the steps have put in since the start [J]; empty
        without a ``motion``.
    crossings : tuple of Crossing
        Where events took place.
    dense : DenseState, optional
        ``dense(t)`` is (q, v) at any time; of methods with variable step.
    changes : tuple of ChangePoint
        Where fewer rows of closed loops were independent for a moment.
    parts : mapping of str to Vector
        (K,) each: ``kinetic`` and ``potential`` energy [J], with those of the fluid; and what has
        been put in since the start [J] by ``efforts`` (of joints, forces on links, friction and
        damping) and, where they act, by ``thrusters``, the ``dampers`` of springs, ``drag``,
        ``ground`` and a ``current``; with ``method='contact'`` by the ``integrator``: how much
        more the energy changed in its steps than by the forces that it found, no force but its
        error; left out where force laws act whose work is not told. Empty with a ``motion``.
    model : Model, optional
        The robot that moved.
    findings : tuple of Finding
        What of a bag was passed over.

    """

    time: Vector
    q: Vector
    v: Vector
    energy: Vector
    violation: Vector
    violation_rate: Vector = NOTHING
    balance: Vector = NOTHING
    rank: NDArray[np.int64] | None = None
    condition: Vector = NOTHING
    injected: Vector = NOTHING
    crossings: tuple[Crossing, ...] = ()
    dense: DenseState | None = None
    changes: tuple[ChangePoint, ...] = ()
    parts: Mapping[str, Vector] = MappingProxyType({})
    model: Model | None = None
    findings: tuple[Finding, ...] = ()

    @property
    def exchanged(self) -> float:
        """How much all of ``parts`` put in and took out [J], what ``balance`` is held against."""
        return float(sum(np.abs(np.diff(part)).sum() for name, part in self.parts.items()
                         if name not in (*HELD, INTEGRATOR)))

    def audit(self) -> str:
        """
        Return where the energy came from and went to, as text.

        Returns
        -------
        str
            A line for each of ``parts``, kinetic and potential energy at the start and the end,
            and how well ``balance`` closes; one line only without ``parts``.

        """
        if not self.parts:
            return 'no audit of energy: a recording'
        lines = [f'{name:<12}{part[-1]:>14.6g} J' + (
            f', {part[0]:.6g} J at the start' if name in HELD else
            f', at most {np.abs(part).max():.3g} J' if name == INTEGRATOR else ' put in')
            for name, part in self.parts.items()]
        worst, total = float(np.abs(self.balance).max()), self.exchanged
        return '\n'.join([*lines, f'{"balance":<12}{self.balance[-1]:>14.6g} J, at most '
                          f'{worst:.3g} J of {total:.6g} J exchanged'])

    def plot(self) -> Any:
        """
        Plot positions, velocities, energy and, with loops, their violation over time.

        Returns
        -------
        matplotlib.figure.Figure
            Made by ``matplotlib.pyplot``, so that its ``show()`` shows it.

        Raises
        ------
        UnsupportedError
            If matplotlib is not installed.

        """
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            raise UnsupportedError('a plot without matplotlib',
                                   "install it with 'pip install matplotlib'") from None
        curves = [('q [rad, m]', self.q, self._entries(self.q, 'q')),
                  ('v [rad/s, m/s]', self.v, self._entries(self.v, 'v'))]
        energies = {'energy': self.energy, **self.parts}
        curves.append(('energy [J]', np.stack([*energies.values()], axis=1), [*energies]))
        if self.model is not None and self.model.loops:
            curves.append(('violation', self.violation[:, None], []))
        figure, axes = plt.subplots(len(curves), sharex=True, squeeze=False,
                                    figsize=(7.0, 2.0 * len(curves)), layout='constrained')
        for axis, (title, values, names) in zip(axes[:, 0], curves):
            lines = axis.plot(self.time, values)
            axis.set_ylabel(title)
            if 0 < len(names) <= LEGEND:
                axis.legend(lines, names, fontsize='x-small', loc='upper right')
        axes[-1, 0].set_xlabel('time [s]')
        return figure

    def save(self, path: str | os.PathLike[str]) -> None:
        """
        Write the run to a file.

        Parameters
        ----------
        path : str or path
            ``.npz``: all arrays and the robot, for ``mbd_ros.load_trajectory`` and ``mbd_ros
            view``; without ``crossings``, ``changes`` and ``dense``. ``.csv``: time, q, v,
            energy, its ``parts`` by their names and ``balance``, a row for each state. ``.mcap``,
            or a new folder, whose name has no suffix: a bag of ROS 2 with ``/joint_states`` and
            ``/robot_description``, as ``ros2 bag play`` plays it; with the PyPI package rosbags.

        Raises
        ------
        InvalidValueError
            If the name of the file ends otherwise, or the run has no robot to name its joints in
            a bag.
        UnsupportedError
            If joints have several coordinates, which are no joint states, or there is no rosbags.
        MbdError
            If it cannot be written.

        """
        suffix = Path(path).suffix
        if suffix not in ('.npz', '.csv', '.mcap', ''):
            raise InvalidValueError('path', str(path), 'a file named *.npz, *.csv or *.mcap, or a '
                                    'folder')
        if suffix in ('.mcap', ''):
            self._save_bag(Path(path))
            return
        try:
            if suffix == '.csv':
                names = ['time', *self._entries(self.q, 'q', 'q '), *self._entries(
                    self.v, 'v', 'v '), 'energy', *self.parts]
                columns = [self.time, self.q, self.v, self.energy, *self.parts.values()]
                if len(self.balance):
                    names, columns = [*names, 'balance'], [*columns, self.balance]
                table = np.column_stack(columns)
                with open(path, 'w', encoding='utf-8', newline='') as file:
                    writer = csv.writer(file)
                    writer.writerow(names)
                    writer.writerows(table.tolist())
                return
            np.savez_compressed(path, **self._arrays())
        except OSError as error:
            raise MbdError(f'{path} cannot be written: {error.strerror}') from None

    def _save_bag(self, path: Path) -> None:
        if self.model is None:
            raise InvalidValueError('path', str(path), '*.npz or *.csv for a run '
                                    'without its robot')
        names = coordinate_names(self.model)
        q, v = adding_entries(self.model)
        write_bag(path, JointRecording(
            self.time, names, self.q[:, q], self.v[:, v], None, _robot_text(self.model)))

    def _entries(self, values: Vector, kind: str, before: str = '') -> list[str]:
        """Return the names of the columns of q or v."""
        if self.model is None:
            return [f'{before}{k}' for k in range(values.shape[1])]
        model = self.model
        sizes = [getattr(joint, f'n{kind}') for joint in model.joint_types]
        return [*(f'{before}{name}' + (f'.{k}' if size > 1 else '')
                  for name, size in zip(model.joint_names, sizes) for k in range(size)),
                *(before + name for name in model.elastic_names)]

    def _arrays(self) -> dict[str, Any]:
        arrays = {name: value for name in ARRAYS
                  if (value := getattr(self, name)) is not None and len(value)}
        arrays |= {PART + name: value for name, value in self.parts.items()}
        if self.model is not None:
            arrays |= {ROBOT: _robot_text(self.model), **build_options(self.model)}
        return arrays


def _robot_text(model: Model) -> str:
    """Return the robot as URDF."""
    mechanism = model.mechanism
    return urdf_text(mechanism, shapes=kept_shapes(mechanism), others=kept_elements(mechanism))


def load_trajectory(path: str | os.PathLike[str], topic: str | None = None) -> Trajectory:
    """
    Read a run that ``Trajectory.save`` wrote as ``.npz``, or a bag of ROS 2.

    Parameters
    ----------
    path : str or path
        The file; or a bag with joint states and a robot description, a folder, ``*.mcap`` or
        ``*.db3``.
    topic : str, optional
        Topic of the joint states in a bag; as ``read_bag`` chooses if left out.

    Returns
    -------
    Trajectory
        With the robot, if it was saved with one. Of a bag: times from 0; velocities, where there
        are none, from differences of positions; ``violation`` unknown (NaN); ``findings`` say what
        was passed over.

    Raises
    ------
    DescriptionError
        If there is no such file, or it holds something else.
    InvalidValueError
        If there is no such topic, or a topic is named without a bag.
    UnknownNameError, UnsupportedError
        If a bag lacks a joint of the robot, or there is no rosbags.

    """
    if is_bag(Path(path)):
        return _from_bag(Path(path), topic)
    if topic is not None:
        raise InvalidValueError('topic', topic, 'none without a bag')
    found: dict[str, Any] = read_arrays(path, 'saved trajectory')
    try:
        run = Trajectory(**{name: found[name] for name in ARRAYS if name in found}, parts={
            name.removeprefix(PART): found[name] for name in found if name.startswith(PART)})
        _check_shapes(run)
        run = run._replace(energy=by_parts(run.energy, run.parts))
    except (ValueError, TypeError) as error:
        raise DescriptionError(f'this is no saved trajectory: {error}', file=str(path)) from None
    if ROBOT not in found:
        return run
    model = load_text(str(found[ROBOT]), inertia='unchecked', **{
        name: bool(found[name].any()) for name in OPTIONS if name in found})
    if run.q.shape[1] != model.nq or run.v.shape[1] != model.nv:
        raise DescriptionError(
            f'its states have {run.q.shape[1]} and {run.v.shape[1]} entries; the robot in it has '
            f'{model.nq} and {model.nv}', file=str(path))
    return run._replace(model=model)


def _from_bag(path: Path, topic: str | None) -> Trajectory:
    """Return the run that a bag holds."""
    recording = read_bag(path, topic)
    if not recording.robot:
        raise DescriptionError('there is no robot_description in this bag', file=str(path))
    elastic = any('/' in name for name in recording.names)   # as in forearm/bend_y_1
    model = load_text(recording.robot, inertia='unchecked', flexible=elastic)
    if not set(model.joint_names) <= set(recording.names):   # those that mimic others say nothing
        model = load_text(recording.robot, inertia='unchecked', flexible=elastic, mimic=True)
    q, v, _ = states_in(recording, model)
    total = energy(model, q, v)
    unknown = np.full(len(q), np.nan)
    return Trajectory(recording.time, q, v, total.kinetic + total.potential, unknown, unknown,
                      model=model, findings=recording.findings)


def _check_shapes(run: Trajectory) -> None:
    """Check that what was read are numbers of as many states."""
    count = len(run.time)
    for name, value in {**run._asdict(), **run.parts}.items():
        if isinstance(value, np.ndarray) and len(value):
            size = 2 if name in ('q', 'v') else 1
            if value.dtype.kind not in 'fi' or value.ndim != size or len(value) != count:
                raise ValueError(f'{name} has shape {value.shape} and type {value.dtype}')
    if not (count and np.isfinite(run.time).all() and (np.diff(run.time) > 0.0).all()
            and np.isfinite(run.q).all() and np.isfinite(run.v).all()):
        raise ValueError('times must ascend, and states be finite')
