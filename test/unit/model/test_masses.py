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

"""Links as one body."""

import numpy as np

from mbd_ros.description.records.mechanism import Inertia
from mbd_ros.model.masses import MassProperties, merged, placed

RNG = np.random.default_rng(1)


def points(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return masses and positions of a cloud of points."""
    return RNG.uniform(0.1, 1.0, count), RNG.normal(size=(count, 3))


def properties_of(masses: np.ndarray, places: np.ndarray) -> MassProperties:
    """Return the mass properties of a cloud of points by their definition."""
    center = masses @ places / masses.sum()
    arms = places - center
    tensor = sum(m * (d @ d * np.eye(3) - np.outer(d, d)) for m, d in zip(masses, arms))
    return MassProperties(float(masses.sum()), center, tensor)


def test_two_clouds_of_points_as_one():
    first, second = points(5), points(7)
    both = properties_of(*(np.concatenate(pair) for pair in zip(first, second)))
    together = merged([properties_of(*first), properties_of(*second)])
    # Sums of a dozen terms of order 1.
    np.testing.assert_allclose(together.mass, both.mass, rtol=1e-14)
    np.testing.assert_allclose(together.center, both.center, atol=1e-14)
    np.testing.assert_allclose(together.tensor, both.tensor, atol=1e-13)


def test_one_link_is_left_as_it_is():
    one = properties_of(*points(4))
    assert merged([one]) is one


def test_no_link_has_no_mass():
    none = merged([])
    assert (none.mass, none.center.tolist(), none.tensor.any()) == (0.0, [0.0, 0.0, 0.0], False)


def test_moments_without_mass_are_added():
    tensor = np.diag([1.0, 2.0, 3.0])
    both = merged([MassProperties(0.0, np.ones(3), tensor)] * 2)
    assert both.mass == 0.0
    assert both.tensor.tolist() == (2.0 * tensor).tolist()


def test_a_turned_and_shifted_link():
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    inertia = Inertia(2.0, (1.0, 0.0, 0.0), ((1.0, 0.5, 0.0), (0.5, 2.0, 0.0), (0.0, 0.0, 3.0)))
    body = placed(inertia, turn, np.array([0.0, 0.0, 4.0]))
    assert body.center.tolist() == [0.0, 1.0, 4.0]
    assert body.tensor.tolist() == [[2.0, -0.5, 0.0], [-0.5, 1.0, 0.0], [0.0, 0.0, 3.0]]
