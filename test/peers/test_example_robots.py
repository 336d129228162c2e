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
All robots of the wheel ``example-robot-data`` (extra ``bench``, 415 MB) against Pinocchio.

Where the wheel is not installed, one test says so; the same comparison on the robots of this
repository is in ``test_reader_against_pinocchio.py``.

"""

from importlib import metadata
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import mbd_ros
from mbd_ros.cli.comparison.pinocchio_peer import PinocchioPeer
from mbd_ros.cli.comparison.verdict import largest
from mbd_ros.errors import DescriptionError, SingularMassError

WITHOUT_DYNAMICS = {'romeo.urdf': SingularMassError, 'romeo_laas_small.urdf': DescriptionError}
"""A joint that moves no inertia; a moving body with a negative moment of inertia."""

EMPTY = 'ur3.urdf'
"""A <robot> without a name and without a single link: not a robot for Pinocchio either."""

# A recursion over up to 100 bodies in float64; fingers of some grams far from a heavy trunk.
TOLERANCE = 1e-10


def stored() -> list[Path]:
    """Return the URDFs of the wheel, if it is installed."""
    try:
        files = metadata.files('example-robot-data') or []
    except metadata.PackageNotFoundError:
        return []
    return sorted(Path(str(file.locate())).resolve() for file in files if file.suffix == '.urdf')


FILES = stored()


@pytest.mark.skipif(not FILES, reason='the wheel example-robot-data is not installed')
def test_there_are_as_many_as_documented():
    assert len(FILES) == 69


@pytest.mark.parametrize('path', [path for path in FILES if path.name != EMPTY],
                         ids=lambda path: path.name)
def test_the_same_dynamics(path):
    model = mbd_ros.load(path, inertia='unchecked')
    errors = [finding for finding in model.findings if finding.severity == 'error']
    assert bool(errors) == (path.name in WITHOUT_DYNAMICS)
    worst = largest(model, PinocchioPeer(str(path)).evaluation(model.mechanism, model))
    assert worst.figure <= TOLERANCE, worst


@pytest.mark.parametrize('path', [path for path in FILES if path.name == EMPTY],
                         ids=lambda path: path.name)
def test_a_file_without_a_robot(path):
    with pytest.raises(DescriptionError, match='the robot has no <link>'):
        mbd_ros.load(path)
    with pytest.raises(ValueError):
        pin.buildModelFromUrdf(str(path))


@pytest.mark.parametrize('path', [path for path in FILES if path.name in WITHOUT_DYNAMICS],
                         ids=lambda path: path.name)
def test_robots_whose_dynamics_are_undefined_are_refused_by_default(path):
    with pytest.raises(WITHOUT_DYNAMICS[path.name]):
        mbd_ros.load(path)
    model = mbd_ros.load(path, inertia='unchecked')
    with pytest.raises(SingularMassError):
        mbd_ros.forward_dynamics(model, *np.zeros((3, model.nv)))
