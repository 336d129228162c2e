"""Linear constraints on joints: trajectories, couplings, and relations of velocities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import functools

import numpy as np

from mbd_ros.control.constraints.compiled_rows import CompiledRows
from mbd_ros.control.constraints.recorded import Known, Rows
from mbd_ros.control.references.arguments import finite, require, require_model
from mbd_ros.control.references.paths import Path
from mbd_ros.control.references.scalars import difference, Row, sum_of
from mbd_ros.control.references.time_code import codes_of, TimeCode, unchanging
from mbd_ros.errors import InvalidValueError, ShapeError, UnsupportedError
from mbd_ros.model import Model
from mbd_ros.simulation.manifold import Matrix, Vector


class JointRows(CompiledRows):
    """
    A linear relation of joints: ``phi = C q - r(t)``, or ``psi = C v - r(t)`` if not holonomic.

    The joints have one coordinate each; C is (m, number of joints).
    """

    def __init__(self, model: Model, joints: Sequence[str], coefficients: Matrix, *,
                 holonomic: bool = True) -> None:
        require_model(model)
        self._q, self._v = joint_places(model, joints)
        m = len(coefficients)
        super().__init__(model, (m if holonomic else 0, m, m))
        self.reference_sizes = (m, m, m)
        self._C = coefficients
        self._matrix = np.zeros((m, model.nv))
        self._matrix[:, self._v] = coefficients
        self.structure = (JointRows, model, holonomic, self._matrix.tobytes())

    def rows(self, known: Known) -> Rows:
        """Return the rows at a state."""
        def times(vector: Row, places: Sequence[int]) -> Row:
            return [sum_of(c * vector[place] for c, place in zip(row, places))
                    for row in self._C.tolist()]
        value, rate, second = known.reference
        rates = times(known.v, self._v.tolist())
        matrix = self._matrix.tolist()
        if not self.counts[0]:
            return Rows([], difference(rates, value), matrix, rate)
        return Rows(difference(times(known.q, self._q.tolist()), value),
                    difference(rates, rate), matrix, second)


class JointPath(JointRows):
    """
    Keep joints on a path of their own: ``phi = q_j - q_d(t)``.

    Parameters
    ----------
    model : Model
        The robot.
    joints : sequence of str
        Names of the joints, in the order of the path's entries; not a floating base.
    path : Path
        ``at(t)`` with positions, velocities and accelerations (k,) [rad or m].

    Raises
    ------
    UnknownNameError, UnsupportedError, InvalidValueError, ShapeError
        If a joint is not known, moves more ways than one or is named twice, or the path has
        another number of entries.

    """

    def __init__(self, model: Model, joints: Sequence[str], path: Path) -> None:
        super().__init__(model, joints, np.eye(len(joints)))
        require('path', path, ('at',), 'a path of joints, such as trajectory(times, positions)')
        found = path.at(0.0).position.shape
        if found != (len(joints),):
            raise ShapeError('path of joints', found, f'({len(joints)},), one for each joint')
        self.joints = tuple(joints)
        self.path = path

    def time_codes(self) -> tuple[TimeCode] | None:
        """Return machine code for the path."""
        return codes_of(self.path)

    def reference(self, t: float) -> tuple[Vector, ...]:
        """Return the path at a time."""
        return self.path.at(t)


class JointCoupling(JointRows):
    """
    Keep a linear relation between joints: ``phi = sum_j c_j q_j - value``.

    Parameters
    ----------
    model : Model
        The robot.
    coefficients : mapping of str to float
        ``c_j`` by joint: ``{'left': 1, 'right': -1}`` keeps two joints equal.
    value : float, optional
        Right-hand side.

    Raises
    ------
    UnknownNameError, UnsupportedError, InvalidValueError
        If a joint is not known or moves more ways than one, or the coefficients are all zero or
        not finite.

    """

    holonomic = True

    def __init__(self, model: Model, coefficients: Mapping[str, float], value: float = 0.0
                 ) -> None:
        require('coefficients', coefficients, ('keys', 'values'),
                'a number for each joint by name')
        weights = np.array([finite(f"coefficient of '{name}'", weight)
                            for name, weight in coefficients.items()])
        super().__init__(model, list(coefficients), weights[None], holonomic=self.holonomic)
        if not weights.any():
            raise InvalidValueError('coefficients', dict(coefficients),
                                    'finite numbers, not all of them zero')
        self._constant = finite('value', value)

    @functools.cached_property
    def _codes(self) -> tuple[TimeCode]:
        return (unchanging((self._constant, 0.0, 0.0)),)

    def time_codes(self) -> tuple[TimeCode]:
        """Return machine code for the value, which does not change."""
        return self._codes

    def reference(self, t: float) -> tuple[Vector, ...]:
        """Return the value, and that it does not change."""
        return tuple(self._codes[0](t).reshape(3, -1))


class JointSpeed(JointCoupling):
    """
    Keep a linear relation between joint velocities: ``psi = sum_j c_j v_j - value``.

    Parameters
    ----------
    model, coefficients, value
        As in ``JointCoupling``, with velocities [rad/s or m/s].

    """

    holonomic = False


def joint_places(model: Model, joints: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """
    Return where joints stand in q and in v.

    Raises
    ------
    UnknownNameError, UnsupportedError, InvalidValueError
        If a joint is not known, has more than one coordinate, or is named twice.

    """
    indices = [model.joint_index(name) for name in joints]
    if not indices or len(set(indices)) < len(indices):
        raise InvalidValueError('joints', list(joints), 'each joint at most once, at least one')
    for name, index in zip(joints, indices):
        if not model.joint_types[index].is_simple:
            raise UnsupportedError(f"a constraint on the coordinates of joint '{name}'",
                                   'name revolute and prismatic joints, or constrain its link')
    return (np.array([model.q_offsets[index] for index in indices], dtype=np.intp),
            np.array([model.v_offsets[index] for index in indices], dtype=np.intp))
