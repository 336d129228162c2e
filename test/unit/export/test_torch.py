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


"""Functions of PyTorch: values, gradients, other types; only where PyTorch is installed."""

from pathlib import Path

import numpy as np
import pytest

import mbd_ros
from mbd_ros.errors import NotFiniteError, ShapeError

torch = pytest.importorskip('torch', reason='PyTorch is 3 GB with what it needs')
URDF = Path(__file__).resolve().parents[3] / 'urdf'


@pytest.fixture(scope='module')
def model():
    """Return a robot with a closed loop."""
    return mbd_ros.load(URDF / 'four_bar.urdf')


@pytest.fixture
def states(model):
    """Return five states."""
    return [torch.from_numpy(one) for one in np.random.default_rng(1).normal(
        size=(3, 5, model.nv))]


@pytest.mark.parametrize('name', ['forward_dynamics', 'inverse_dynamics'])
def test_values_and_gradients(model, states, name):
    function, right = mbd_ros.torch(model, name), getattr(mbd_ros.compile(model), name)
    arrays = [one.numpy() for one in states]
    assert np.array_equal(function(*states), right(*arrays))
    assert np.array_equal(function(states[0], states[1][0], states[2]),
                          right(arrays[0], arrays[1][0], arrays[2]))
    moving = [one.clone().requires_grad_() for one in states]
    assert torch.autograd.gradcheck(function, moving)
    function(*moving).sum().backward()
    slopes = getattr(mbd_ros.compile(model), f'{name}_derivatives')(*arrays)
    for one, matrices in zip(moving, slopes):
        # 1e-14: sums of three numbers in another order.
        assert np.abs(one.grad.numpy() - matrices.sum(axis=1)).max() <= 1e-14 * np.abs(
            matrices).max()


def test_single_precision_and_other_shapes(model, states):
    function = mbd_ros.torch(model, 'forward_dynamics')
    single = [one.float().reshape(5, 1, -1).requires_grad_() for one in states]
    found = function(*single)
    assert found.dtype == torch.float32 and found.shape == (5, 1, model.nv)
    found.sum().backward()
    assert all(one.grad.dtype == torch.float32 for one in single)
    assert function(states[0][0], 0 * states[1][0], states[2][0]).shape == (model.nv,)


def test_what_it_cannot_do(model, states):
    function = mbd_ros.torch(model, 'forward_dynamics')
    with pytest.raises(ShapeError, match='v has shape'):
        function(states[0], states[1][:, :1], states[2])
    states[0][2, 1] = float('nan')
    with pytest.raises(NotFiniteError):
        function(*states)
