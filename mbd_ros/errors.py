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

"""
Every error this package raises on purpose.

A message says what is wrong, where (file and line, or joint), what was found and what is allowed.
The facts are kept as attributes, so that a service can answer with them.

"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
import copy
import difflib
import re
from typing import Any


MOST_NAMES = 50
"""Names that a message lists."""
LONGEST_VALUE = 200
"""Characters of a value in a message; a list may have a million entries."""
MOST_COMPARED = 1000
"""Names among which the nearest is looked for."""
LONGEST_MESSAGE = 4000
"""Characters of a message."""

_BREAK = re.compile(r'[\t\n\r\v\f\x1c-\x1e\x85\u2028\u2029]\s*')
_VALUE = re.compile(r"""(?<!\w)'[^']*'(?!\w)|"[^"]*"|[^\s'"]+""")
_SHOWN = 80
"""Characters left of a value that is cut."""


def cut(text: str, longest: int = LONGEST_VALUE) -> str:
    """Return a text, or the begin of a long one with the number of its characters."""
    if len(text) <= longest + _SHOWN // 2:
        return text
    end = text[-1] if text[0] in '\'"' else ''
    return f'{text[:min(longest, _SHOWN)]}...{end} ({len(text) - 2 * len(end)} characters)'


def one_line(text: str) -> str:
    """
    Return a message as one line of bounded length.

    Line breaks become spaces and other control characters their codes; quoted values and words of
    more than ``LONGEST_VALUE`` characters are cut. Takes time linear in the length of the text.

    """
    line = _BREAK.sub(' ', text).strip()
    if not line.isprintable():
        line = ''.join(one if one.isprintable() else f'\\x{ord(one):02x}' for one in line)
    line = _VALUE.sub(lambda match: cut(match[0]), line)
    if len(line) <= LONGEST_MESSAGE:
        return line
    return f'{line[:LONGEST_MESSAGE]}... ({len(text)} characters)'


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """Return the name that may be meant, within bounds: difflib is quadratic in their lengths."""
    names = [one for one in list(known)[:MOST_COMPARED] if len(one) <= LONGEST_VALUE]
    return next(iter(difflib.get_close_matches(name[:LONGEST_VALUE], names, n=1)), None)


class MbdError(Exception):
    """
    Base of all errors of this package.

    Attributes
    ----------
    code : str
        Stable name of the kind of error, the ``error_code`` of the ROS services.
    findings : tuple of Finding
        What was remarked about a description before.

    """

    code = 'INTERNAL'
    findings: tuple[Any, ...] = ()

    def __init__(self, message: str = '') -> None:
        super().__init__(one_line(message))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle, so that what goes wrong in another process is reported here as it was."""
        return _restored, (type(self), str(self), self.__dict__)


class DescriptionError(MbdError):
    """
    A robot description cannot be read.

    Parameters
    ----------
    what : str
        What is wrong, what was found and what is allowed.
    file : str, optional
        Path of the file, or ``'<string>'`` for XML handed over as text.
    line : int, optional
        Line in that file, counted from 1.

    """

    code = 'BAD_DESCRIPTION'

    def __init__(self, what: str, *, file: str | None = None, line: int | None = None) -> None:
        self.what = one_line(what)
        self.file = file
        self.line = line
        where = '' if file is None else f'{file}: ' if line is None else f'{file}:{line}: '
        super().__init__(where + what)


class ShapeError(MbdError):
    """
    An array has the wrong size.

    Parameters
    ----------
    argument : str
        Name of the argument at fault.
    found : tuple of int
        Its shape.
    allowed : str
        The shapes that are allowed, in words.

    """

    code = 'WRONG_SIZE'

    def __init__(self, argument: str, found: Sequence[int], allowed: str) -> None:
        self.argument = argument
        self.found = tuple(found)
        self.allowed = allowed
        super().__init__(f'{argument} has shape {self.found}; allowed: {allowed}')


class NotFiniteError(MbdError):
    """
    An array holds NaN or infinity.

    Parameters
    ----------
    argument : str
        Name of the argument at fault.
    where : str
        Which entry: a joint name or an index.
    found : float
        The value.

    """

    code = 'NOT_FINITE'

    def __init__(self, argument: str, where: str, found: float) -> None:
        self.argument = argument
        self.where = where
        self.found = found
        super().__init__(f'{argument} of {where} is {found}; allowed: finite numbers')


class UnknownNameError(MbdError):
    """
    A joint, link, constraint, ... of that name does not exist.

    Parameters
    ----------
    kind : str
        What the name should name: ``'joint'``, ``'link'``, ...
    name : str
        The name that was asked for.
    known : iterable of str
        The names that exist.

    """

    code = 'UNKNOWN_NAME'

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind = kind
        self.name = name
        self.known = tuple(known)
        near = nearest_name(str(name), self.known)
        hint = f"; did you mean '{near}'?" if near else ''
        more = len(self.known) - MOST_NAMES
        known_names = ', '.join(self.known[:MOST_NAMES]) + (
            f', ... ({more} more)' if more > 0 else '')
        super().__init__(
            f"there is no {kind} named '{_shortened(name)}'; known: {known_names}{hint}")


class SingularMassError(MbdError):
    """
    The mass matrix is singular: a joint moves no inertia.

    Parameters
    ----------
    joint : str
        Name of the joint.
    reason : str
        What was found.
    file, line : str, int, optional
        Where the link that the joint moves is described.

    """

    code = 'SINGULAR_MASS'

    def __init__(self, joint: str, reason: str, *, file: str | None = None,
                 line: int | None = None) -> None:
        self.joint = joint
        self.reason = reason
        self.file = file
        self.line = line
        super().__init__(
            f"joint '{joint}' moves no inertia: {reason}; give the links it moves a mass and an "
            'inertia, or the joint a rotor inertia (armature)')


class InvalidValueError(MbdError):
    """
    A value is of the right kind but not allowed.

    Parameters
    ----------
    argument : str
        Name of the argument at fault.
    found : object
        Its value.
    allowed : str
        The values that are allowed, in words.

    """

    code = 'INVALID_VALUE'

    def __init__(self, argument: str, found: object, allowed: str) -> None:
        self.argument = argument
        self.found = found
        self.allowed = allowed
        super().__init__(f'{_shortened(argument)} is {_shown(found)}; allowed: {allowed}')


class UnsupportedError(MbdError):
    """
    Something known that this version cannot do.

    Parameters
    ----------
    what : str
        What was asked for.
    instead : str
        What can be done instead.
    source : Source, optional
        Where it was written.

    """

    code = 'NOT_SUPPORTED'

    def __init__(self, what: str, instead: str, *, source: Any = None) -> None:
        self.what = what
        self.instead = instead
        self.source = source
        where = '' if source is None else f'{source}: '
        super().__init__(f'{where}{what} is not supported in this version; {instead}')


class DockingError(MbdError):
    """
    Modules cannot be docked, undocked or moved like this.

    Parameters
    ----------
    rule : str
        The rule that is broken: ``'cycle'``, ``'two parents'``, ``'self-dock'``, ``'base'``,
        ``'descendant'``, ``'incompatible ports'``, ``'occupied port'``, ``'unreachable'``,
        ``'name taken'`` or ``'pose jump'``.
    name : str
        The module at fault.
    what : str
        What was found and what is allowed.
    source : Source, optional
        Where it was written.

    """

    code = 'BAD_DOCKING'

    def __init__(self, rule: str, name: str, what: str, source: Any = None) -> None:
        self.rule = rule
        self.name = name
        self.what = what
        self.source = source
        super().__init__(f'{rule}: {what}')


class LoopsOpenWarning(UserWarning):
    """Dynamics are asked for at a state whose loops are open by more than rounding."""


class LargeDeflectionWarning(UserWarning):
    """A flexible link bends or turns more than its linear modes are valid for."""


class ContactWarning(UserWarning):
    """A run begins deep in the ground, or with steps that are long for its contacts."""


class LoopOpenError(MbdError):
    """
    A closed loop cannot be closed.

    Parameters
    ----------
    loop : str
        Name of the loop joint that is open most.
    residual : float
        What is left of its equations [m, or product of unit vectors].
    moved : float
        How far a coordinate was moved in the attempt [rad, m].
    reason : str
        What was tried or found.

    """

    code = 'LOOP_OPEN'

    def __init__(self, loop: str, residual: float, moved: float, reason: str) -> None:
        self.loop = loop
        self.residual = residual
        self.moved = moved
        self.reason = reason
        super().__init__(
            f"loop joint '{loop}' cannot be closed: {residual:.3g} m are left after moving the "
            f'joints by up to {moved:.3g} rad or m; {reason}')


class LoopConflictError(MbdError):
    """
    Closed loops contradict each other: no acceleration satisfies all of them.

    Parameters
    ----------
    loop : str
        Name of the loop joint whose equations are violated most.
    residual : float
        What is left of them, ``A vdot + bias`` [m/s^2, or 1/s^2].
    independent, rows : int
        How many of all rows are independent at this state.

    """

    code = 'LOOP_OPEN'

    def __init__(self, loop: str, residual: float, independent: int, rows: int) -> None:
        self.loop = loop
        self.residual = residual
        self.independent = independent
        self.rows = rows
        super().__init__(
            f"loop joint '{loop}' contradicts the others: {residual:.3g} m/s^2 are left of its "
            f'equations whatever the accelerations, as {independent} of {rows} rows are '
            'independent at this state; allowed: velocities that all loops can keep up')


class InfeasibleError(MbdError):
    """
    A motion that a robot cannot make, known before it begins.

    Parameters
    ----------
    what : str
        What cannot be followed.
    time : float
        When, counted from its begin [s].
    reason : str
        What stands against it.

    """

    code = 'INVALID_VALUE'

    def __init__(self, what: str, time: float, reason: str) -> None:
        self.what = what
        self.time = time
        self.reason = reason
        super().__init__(f'the {what} cannot be followed {time:.4g} s after its begin: {reason}')

    def with_more(self, text: str) -> InfeasibleError:
        """Return the same error with more to say, such as what may help."""
        other = copy.copy(self)
        other.args = (one_line(f'{self}; {text}'),)
        return other


class TooMuchEffortError(InfeasibleError):
    """
    A motion for which a joint has not enough effort.

    Parameters
    ----------
    what : str
        What cannot be followed.
    time : float
        From when on, counted from its begin [s].
    joint : str
        The joint.
    needed, allowed : float
        The largest effort that it would need, and its limit.
    unit : str
        Of these.
    more : str, optional
        More about the first.

    """

    def __init__(self, what: str, time: float, joint: str, needed: float, allowed: float,
                 unit: str, more: str = '') -> None:
        self.joint, self.needed, self.allowed = joint, needed, allowed
        super().__init__(what, time, f"joint '{joint}' would need {needed:.4g} {unit}{more}, "
                         f'allowed: {allowed:.4g} {unit}')


class DivergedError(MbdError):
    """
    A motion cannot be integrated any further.

    Parameters
    ----------
    time : float
        Time up to which it could [s].
    reason : str
        What was found.

    """

    code = 'DIVERGED'

    def __init__(self, time: float, reason: str) -> None:
        self.time = time
        self.reason = reason = reason.partition('; allowed: ')[0]
        super().__init__(
            f'the motion cannot be continued from t = {time:.6g} s: {reason}; allowed: finite '
            'forces, and steps short enough for the fastest motion of the robot: try a smaller '
            "step, or method 'bdf' or 'radau', which are for stiff robots")


class NoAnswerError(MbdError):
    """
    Another node that is needed did not answer in time.

    Parameters
    ----------
    service : str
        The service that was called.
    seconds : float
        How long was waited [s].

    """

    code = 'NO_ANSWER'

    def __init__(self, service: str, seconds: float) -> None:
        self.service = service
        self.seconds = seconds
        super().__init__(f"the service '{service}' did not answer within {seconds:g} s; the robot "
                         'stays as it was')


class RefusedError(MbdError):
    """
    Another node refuses what it was asked for.

    Parameters
    ----------
    service : str
        The service that was called.
    message : str
        What it answered.
    code : str
        Kind of the error, as it answered.
    name : str
        The joint, link or module at fault, as it answered; empty if none.

    """

    def __init__(self, service: str, message: str, code: str, name: str) -> None:
        self.service = service
        self.message = message
        self.code = code
        self.name = name
        super().__init__(f"the service '{service}' refuses: {message}")


class NoModelError(MbdError):
    """
    A node has no robot yet.

    Parameters
    ----------
    reason : str
        What it waits for, or why the last description was refused.

    """

    code = 'NO_MODEL'

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f'there is no robot model: {reason}')


class MachineError(MbdError):
    """The machine or its system lacks what a computation takes, or does it wrongly."""

    code = 'NOT_SUPPORTED'


class InactiveError(MbdError):
    """A node, of the full name ``node``, is not active."""

    code = 'NOT_ACTIVE'

    def __init__(self, node: str) -> None:
        self.node = node
        super().__init__(f'the node {node} is not active: ros2 lifecycle set {node} activate')


def _shortened(text: object) -> str:
    """Return text on one line, cut where it is too long."""
    return cut(' '.join(str(text).split()))   # arrays write several lines


def _shown(value: object) -> str:
    """Return a value as a message shows it, whatever it is."""
    try:
        return _shortened(repr(value))
    except (ValueError, RecursionError):   # thousands of digits, or of lists within lists
        return f'a value of type {type(value).__name__} that is too long to be shown'


def _restored(kind: type[MbdError], message: str, facts: dict[str, Any]) -> MbdError:
    error = kind.__new__(kind, message)
    error.__dict__.update(facts)
    return error
