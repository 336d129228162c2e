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
Recordings made ready for identification: runs, stamps, filtered velocities and accelerations.

What was recorded without accelerations passes a low-pass filter without delay (Butterworth of
fourth order, forwards and backwards). Its cutoff is proposed where the spectrum of accelerations
is least: below it there is motion, above it noise that grows with frequency.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbd_ros.description.records.finding import Finding
from mbd_ros.dynamics.prepared.call import checked_array
from mbd_ros.errors import InvalidValueError, ShapeError
from mbd_ros.model import Model, state

Array = NDArray[np.float64]
EVEN = 0.01
"""Part of a step by which stamps of a recorder that keeps its rate may differ."""
GAP = 10.0
"""Median steps without a state: more is an interruption, over which nothing is interpolated."""
LEAST = 20
"""States of a run."""
ORDER = 4
"""Of the low-pass filter."""
SEGMENT = 1024
"""States of a piece of which the spectrum is taken; pieces overlap by half (Welch)."""
HIGHEST = 0.25
"""Part of the rate: the highest cutoff; central differences are no derivatives beyond."""
SPAN = 3.0
"""The lowest cutoff, in frequencies below which 99 % of the accelerations are."""


class Run(NamedTuple):
    """
    States at even times, and what moved the robot in them.

    Attributes
    ----------
    q, v, qdd, tau : array
        (N, nq), (N, nv), (N, nv), (N, nv).
    loads : dict of str to array
        (N, 6) external forces on links.
    step : float
        [s] between states; not a number if unknown.

    """

    q: Array
    v: Array
    qdd: Array
    tau: Array
    loads: dict[str, Array]
    step: float


class Recording(NamedTuple):
    """Runs, the cutoff of their filter [Hz] (None: accelerations were given) and findings."""

    runs: tuple[Run, ...]
    cutoff: float | None
    findings: tuple[Finding, ...]


def recording(model: Model, q: Any, v: Any, tau: Any, qdd: Any, time: Any, loads: Any,
              cutoff: float | None) -> Recording:
    """
    Return what was recorded, ready to be identified from.

    Parameters
    ----------
    model : Model
        The robot.
    q, v, tau, qdd, time, loads
        As in ``identify``: of one run, or sequences of those of several.
    cutoff : float or None
        [Hz]; proposed if None.

    Raises
    ------
    ShapeError, NotFiniteError, InvalidValueError
        If it is no recording of this robot.

    """
    if cutoff is not None and not (isinstance(cutoff, (int, float, np.number)) and (
            0.0 < float(cutoff) < np.inf)):
        raise InvalidValueError('cutoff', cutoff, 'a positive number [Hz]')
    several = isinstance(q, (list, tuple)) and len(q) > 0 and np.ndim(q[0]) == 2
    count = len(q) if several else 1
    parts = []
    for name, value in (('q', q), ('v', v), ('tau', tau), ('qdd', qdd), ('time', time),
                        ('external_forces', loads)):
        if value is None or not several:
            parts.append([value] * count)
        elif isinstance(value, Sequence) and len(value) == count:
            parts.append(list(value))
        else:
            raise InvalidValueError(name, type(value).__name__, f'a list of {count} runs, as q')
    raw: list[_Raw] = []
    findings: list[Finding] = []
    for positions, rates, efforts, changes, stamps, forces in zip(*parts):
        raw += _pieces(model, positions, rates, efforts, changes, stamps, forces, findings)
    if not any(len(one.q) >= LEAST for one in raw):
        raise ShapeError('tau', np.shape(tau), f'({LEAST}, {model.nv}), one row for each of '
                                               f'{LEAST} or more states without interruption')
    raw = [one for one in raw if len(one.q) >= LEAST]
    if all(one.qdd is not None for one in raw):
        return Recording(tuple(Run(one.q, one.v, one.qdd, one.tau, one.loads, one.step)
                               for one in raw), None, tuple(findings))
    if cutoff is None:
        cutoff = min(proposed_cutoff(one.v, one.step) for one in raw)
    return Recording(tuple(_filtered(model, one, float(cutoff)) for one in raw), float(cutoff),
                     tuple(findings))


class _Raw(NamedTuple):
    q: Array
    v: Array
    qdd: Any
    tau: Array
    loads: dict[str, Array]
    step: float


def _pieces(model: Model, q: ArrayLike, v: Any, tau: Any, qdd: Any, time: Any, loads: Any,
            findings: list[Finding]) -> list[_Raw]:
    """Return the pieces of a run between interruptions, at even times."""
    rows = np.atleast_2d(checked_array(model, 'q', q, model.nq))
    if tau is None:
        raise InvalidValueError('tau', None, f'(N, {model.nv}) efforts or motor currents')
    given: dict[str, Array] = {'tau': np.atleast_2d(checked_array(model, 'tau', tau, model.nv))}
    for name, value in (('v', v), ('qdd', qdd)):
        if value is not None:
            given[name] = np.atleast_2d(checked_array(model, name, value, model.nv))
    for link, value in (loads or {}).items():
        given[f'external_forces of {link}'] = np.broadcast_to(
            checked_array(model, 'external_forces', value, 6), (len(rows), 6))
    for name, array in given.items():
        if len(array) != len(rows):
            raise ShapeError(name, array.shape, f'({len(rows)}, {array.shape[1]}), as many states '
                                                'as q')
    if model.nq > len(state.adding_entries(model)[0]):
        rows = np.array([state.normalize(model, row) for row in rows])
    if time is None:
        if v is None or qdd is None:
            raise InvalidValueError('time', None, '(N,) [s] where v or qdd is left out')
        return [_Raw(rows, given['v'], given['qdd'], given['tau'], _loads(given), np.nan)]
    stamps = _stamps(time, len(rows))
    later = np.append(True, np.diff(np.maximum.accumulate(stamps)) > 0.0)
    if not later.all():
        findings.append(Finding(
            'warning', f'{(~later).sum()} of {len(rows)} states passed over because their stamps '
            'are not later than those before', model.mechanism.file))
        stamps, rows = stamps[later], rows[later]
        given = {name: array[later] for name, array in given.items()}
    if len(stamps) < 2:
        return []
    findings += unit_findings(model, stamps, rows, given.get('v'))
    steps = np.diff(stamps)
    usual = float(np.median(steps))
    breaks = np.flatnonzero(steps > GAP * usual) + 1
    if len(breaks):
        findings.append(Finding(
            'info', f'{len(breaks)} interruptions of up to {steps.max():.3g} s; what lies between '
            'them was taken as runs of their own', model.mechanism.file))
    found = []
    for own in np.split(np.arange(len(stamps)), breaks):
        if len(own) >= 2:
            found.append(_even(model, stamps[own], rows[own],
                               {name: array[own] for name, array in given.items()}))
    return found


def _loads(given: Mapping[str, Array]) -> dict[str, Array]:
    start = 'external_forces of '
    return {name.removeprefix(start): array for name, array in given.items()
            if name.startswith(start)}


def _stamps(time: Any, count: int) -> Array:
    try:
        stamps = np.asarray(time, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidValueError('time', time, f'{count} stamps [s]') from None
    if stamps.shape != (count,) or not np.isfinite(stamps).all():
        raise InvalidValueError('time', stamps.tolist()[:5], f'{count} stamps [s]')
    return stamps - stamps[0] if count else stamps


def _even(model: Model, stamps: Array, q: Array, given: Mapping[str, Array]) -> _Raw:
    """Return a run at even times, between the states where stamps are not even."""
    steps = np.diff(stamps)
    step = float(np.mean(steps))
    if 'v' in given and 'qdd' in given:   # every state stands for itself
        return _Raw(q, given['v'], given['qdd'], given['tau'], _loads(given), step)
    if np.ptp(steps) > EVEN * step:
        even = np.linspace(0.0, stamps[-1] - stamps[0], len(stamps))
        place = np.clip(np.searchsorted(stamps - stamps[0], even, side='right') - 1, 0,
                        len(stamps) - 2)
        part = ((even - (stamps - stamps[0])[place]) / steps[place])[:, None]
        q = state.integrate(model, q[place], part * state.difference(
            model, q[place], q[place + 1]))
        given = {name: array[place] * (1.0 - part) + array[place + 1] * part
                 for name, array in given.items()}
    v = given.get('v')
    if v is None:
        v = np.empty((len(q), model.nv))
        v[1:-1] = state.difference(model, q[:-2], q[2:]) / (2.0 * step)
        v[0], v[-1] = (state.difference(model, q[i], q[i + 1]) / step for i in (0, -2))
    return _Raw(q, v, given.get('qdd'), given['tau'], _loads(given), step)


def proposed_cutoff(v: Array, step: float) -> float:
    """
    Return the cutoff of a filter [Hz] that parts a motion from the noise in its velocities.

    Parameters
    ----------
    v : array
        (N, nv) at even times.
    step : float
        [s] between them.

    """
    highest = HIGHEST / step
    if len(v) < 64:
        return highest
    frequencies, density = _spectrum(v, step)
    power = density * frequencies ** 2   # of accelerations, but for a factor
    power, frequencies = power[frequencies <= highest], frequencies[frequencies <= highest]
    width = 5
    smooth = np.exp(np.convolve(np.pad(np.log(power + 1e-300), width // 2, mode='edge'),
                                np.ones(width) / width, mode='valid'))
    top = int(np.argmax(smooth[:max(len(smooth) // 2, 1)]))
    best = float(frequencies[top + int(np.argmin(smooth[top:]))])
    inside = np.cumsum(power[frequencies <= best])
    most = float(frequencies[int(np.searchsorted(inside, 0.99 * inside[-1]))])
    return float(min(max(best, SPAN * most), highest))


def _spectrum(v: Array, step: float) -> tuple[Array, Array]:
    """Return frequencies above zero, and the power of all joints there, but for a factor."""
    count = min(len(v), SEGMENT)
    window = np.hanning(count + 1)[:-1, None]
    pieces = [v[first:first + count] for first in range(0, len(v) - count + 1, count // 2)]
    power = sum((np.abs(np.fft.rfft((piece - piece.mean(axis=0)) * window, axis=0)) ** 2).sum(
        axis=1) for piece in pieces)
    return (np.fft.rfftfreq(count, step)[1:].astype(np.float64),
            np.asarray(power, np.float64)[1:])


def low_pass(v: Array, part: float) -> Array:
    """
    Return what a Butterworth filter, forwards and backwards, lets through (N, n).

    Parameters
    ----------
    v : array
        (N, n) at even times, N of 2 or more.
    part : float
        The cutoff, of half the rate; below 1.

    Notes
    -----
    Less the line from the first to the last row, which passes as it is, and continued as an odd
    function, the rows are periodic, so that the filter is one product of spectra.

    """
    line = np.linspace(0.0, 1.0, len(v))[:, None] * (v[-1] - v[0]) + v[0]
    own = v - line
    round_ = np.concatenate((own, -own[-2:0:-1]))
    frequencies = np.fft.rfftfreq(len(round_))   # of the rate
    with np.errstate(over='ignore'):   # the highest one is infinite to the bilinear transform
        ratio = np.tan(np.pi * frequencies) / np.tan(0.5 * np.pi * part)
        gain = 1.0 / (1.0 + ratio ** (2 * ORDER))
    spectrum = np.fft.rfft(round_, axis=0) * gain[:, None]
    return np.asarray(np.fft.irfft(spectrum, len(round_), axis=0)[:len(v)] + line)


def _filtered(model: Model, raw: _Raw, cutoff: float) -> Run:
    """Return a run with velocities and accelerations without the noise above a cutoff."""
    if raw.qdd is not None:
        return Run(raw.q, raw.v, raw.qdd, raw.tau, raw.loads, raw.step)
    half = 0.5 / raw.step
    edge = min(int(0.5 / (cutoff * raw.step)), len(raw.q) // 10)
    v = raw.v
    if cutoff < half:
        v = low_pass(v, cutoff / half)
    qdd = np.gradient(v, raw.step, axis=0)
    own = slice(edge, len(v) - edge)
    return Run(raw.q[own], v[own], qdd[own], raw.tau[own],
               {link: load[own] for link, load in raw.loads.items()}, raw.step)


def unit_findings(model: Model, stamps: Array, q: Array, v: Array | None) -> list[Finding]:
    """Return what speaks for degrees, or for stamps that are not seconds."""
    entries, rates = state.simple_entries(model)
    turning = np.array([str(kind.value).startswith(('revolute', 'continuous'))
                        for kind in model.joint_types], bool)
    turning = turning[[list(model.v_offsets).index(k) for k in rates]]
    found = []
    largest = np.abs(q[:, entries]).max(axis=0, initial=0.0)
    bound = np.maximum(np.abs(model.lower[rates]), np.abs(model.upper[rates]))
    bound = np.where(np.isfinite(bound) & (bound < 20.0), np.maximum(bound, 1.0), 2.0 * np.pi)
    beyond = turning & (largest > 2.0 * bound) & (largest * np.pi / 180.0 <= 1.1 * bound)
    if beyond.any():
        names = [model.coordinate_names[k] for k in rates[beyond]]
        found.append(Finding(
            'warning', f"positions of {', '.join(names[:5])} reach {largest[beyond].max():.4g}, "
            'far beyond their limits: they look like degrees, and are read as radians',
            model.mechanism.file, remedy='multiply positions and velocities by pi / 180'))
    if v is not None and len(stamps) > 2:
        slopes = (state.difference(model, q[:-1], q[1:]) / np.diff(stamps)[:, None])[:, rates]
        mean = 0.5 * (v[:-1] + v[1:])[:, rates]
        square = float((slopes * slopes).sum())
        ratio = float((mean * slopes).sum()) / square if square > 0.0 else 1.0
        close = float(np.corrcoef(mean.ravel(), slopes.ravel())[0, 1]) if (
            square > 0.0 and mean.std() > 0.0) else 0.0
        if close > 0.9 and not 0.8 < ratio < 1.25:
            known = {57.29578: 'positions in radians, velocities in degrees/s',
                     1.0 / 57.29578: 'positions in degrees, velocities in radians/s',
                     1e3: 'stamps in milliseconds', 1e6: 'stamps in microseconds',
                     1e9: 'stamps in nanoseconds'}
            names = [text for size, text in known.items() if 0.8 < ratio / size < 1.25]
            found.append(Finding(
                'warning', f'velocities are {ratio:.3g} times the rates of positions: '
                f"{names[0] if names else 'units differ'}", model.mechanism.file))
    return found
