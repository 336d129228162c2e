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

"""What links that bend cost a joint: torques beside those of rigid links, and their spectra."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.dynamics.prepared.prepared import compile_model, PreparedDynamics
from mbd_ros.model import Model
from mbd_ros.model.build import build_model
from mbd_ros.model.lock import build_options

Array = NDArray[np.float64]

FEWEST = 64
"""Samples below which there is no spectrum."""
HIGHEST = 100.0
"""Frequency up to which spectra go [Hz]."""


class BendingTorques(NamedTuple):
    """
    Torques of a motion that was recorded.

    Attributes
    ----------
    time : array
        (K,) at even distances [s].
    rigid : array
        (K, n): generalized forces that rigid links would take for the same motion of the joints.
    recorded : array
        (K, n) generalized forces of the joints.
    frequencies : array
        (F,) [Hz].
    rigid_spectrum, spectrum : array
        (F, n): amplitudes of both, with a Hann window.

    """

    time: Array
    rigid: Array
    recorded: Array
    frequencies: Array
    rigid_spectrum: Array
    spectrum: Array


def rigid_twin(model: Model, gravity: Any = None) -> PreparedDynamics | None:
    """Return a robot with links that do not bend; None for closed loops, or if none bends."""
    if model.elastic is None or model.loops:
        return None
    options = {**build_options(model), 'flexible': False}
    return compile_model(build_model(model.mechanism, **options).with_laws(*model.laws),
                         gravity=model.gravity if gravity is None else gravity)


def bending_torques(twin: PreparedDynamics, time: Array, q: Array, v: Array, tau: Array
                    ) -> BendingTorques | None:
    """
    Compare recorded torques with those of rigid links.

    Accelerations are central differences of the velocities.

    Parameters
    ----------
    twin : PreparedDynamics
        The robot with rigid links.
    time : array
        (K,) increasing [s]; samples may be missing.
    q, v, tau : array
        (K, nq), (K, nv), (K, nv) of its joints.

    Returns
    -------
    BendingTorques or None
        None of fewer than ``FEWEST`` samples.

    """
    if len(time) < FEWEST:
        return None
    even = np.arange(time[0], time[-1], np.median(np.diff(time)))
    if len(even) < FEWEST:
        return None
    q, v, tau = (np.stack([np.interp(even, time, one) for one in part.T], axis=-1)
                 for part in (q, v, tau))
    rigid = twin.inverse_dynamics(q, v, np.gradient(v, even, axis=0))
    frequencies = np.fft.rfftfreq(len(even), even[1] - even[0])
    shown = (frequencies > 0.0) & (frequencies <= HIGHEST)
    window = np.hanning(len(even))[:, None]

    def spectrum(values: Array) -> Array:
        waves = np.fft.rfft((values - values.mean(axis=0)) * window, axis=0)
        return np.asarray(2.0 * np.abs(waves[shown]) / window.sum())
    return BendingTorques(even - even[0], rigid, tau, frequencies[shown], spectrum(rigid),
                          spectrum(tau))
