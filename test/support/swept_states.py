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

"""States of a sweep, as workers make them: functions that other processes can import."""

import os
from pathlib import Path
import signal

import numpy as np

ROWS = 20


def states(share):
    """Return the arguments of a share, with a force and dissipation."""
    rng = np.random.default_rng(share)
    q, v, tau = rng.normal(size=(3, ROWS, 6))
    return {'q': q, 'v': v, 'tau': tau, 'dissipation': True,
            'external_forces': {'tool': rng.normal(size=(ROWS, 6))}}


def reduced(arguments, result):
    """Return what is kept of a share."""
    assert result.shape == arguments['q'].shape
    return {'sum': result.sum(axis=0), 'largest': result.max(axis=0)}


def deadly(folder, share):
    """Return the arguments of a share; the first worker that makes share 9 dies of it, or each."""
    if share == 9 and not (folder and Path(folder, 'died').exists()):
        if folder:
            Path(folder, 'died').touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return states(share)


def nan_states(share):
    """Return arguments of which one is no number."""
    return {**states(share), 'tau': np.full((ROWS, 6), np.nan if share == 2 else 0.0)}
