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
Functions of PyTorch: gradients, batches, vmap, memory, and what they refuse.

PyPI's wheel of PyTorch brings gigabytes of CUDA, so that it is no package of the tests: ``make
test`` runs these where it is installed. What needs no PyTorch is in test_without_torch.py.

"""

from pathlib import Path

import numpy as np
import pytest

import mbd_ros
from mbd_ros.errors import InvalidValueError, MbdError, ShapeError, UnsupportedError

torch = pytest.importorskip('torch', reason='PyTorch is not installed')
URDF = Path(__file__).resolve().parents[3] / 'urdf'
NAMES = ['forward_dynamics', 'inverse_dynamics']


@pytest.fixture(scope='module', params=['three_link_arm', 'four_bar'])
def model(request):
    """Return an arm, or a robot with a closed loop."""
    return mbd_ros.load(URDF / f'{request.param}.urdf')


def states(model, *shape, dtype=torch.float64, grad=False):
    """Return q, v and a third tensor."""
    rng = np.random.default_rng(1)
    return [torch.tensor(rng.normal(size=(*shape, model.nv)), dtype=dtype, requires_grad=grad)
            for _ in range(3)]


@pytest.mark.parametrize('name', NAMES)
def test_values_are_ours(model, name):
    function, right = mbd_ros.torch(model, name), getattr(mbd_ros.compile(model), name)
    for shape in ((), (1,), (20,), (4, 5)):
        given = states(model, *shape)
        rows = [one.numpy().reshape(-1, model.nv) if len(shape) > 1 else one.numpy()
                for one in given]
        assert np.array_equal(function(*given).numpy().reshape(rows[0].shape), right(*rows))
    q, v, third = states(model, 20)
    assert torch.equal(function(q, v[0], third), function(q, v[0].expand(20, -1), third))
    assert function(q[:0], v[:0], third[:0]).shape == (0, model.nv)


@pytest.mark.parametrize('name', NAMES)
@pytest.mark.parametrize('shape', [(), (3,), (2, 2)])
def test_gradients_are_those_of_differences(model, name, shape):
    assert torch.autograd.gradcheck(mbd_ros.torch(model, name), states(model, *shape, grad=True))


@pytest.mark.parametrize('name', NAMES)
def test_gradients_are_ours(model, name):
    function = mbd_ros.torch(model, name)
    given = states(model, 7, grad=True)
    w = torch.ones(7, model.nv, dtype=torch.float64)
    found = torch.autograd.grad(function(*given), given, w)
    rows = [one.detach().numpy() for one in given]
    for one, right in zip(found, getattr(mbd_ros.compile(model), f'{name}_derivatives')(*rows)):
        expected = right.sum(axis=-2)
        # 1e-13: sums of a few products in another order.
        assert np.abs(one.numpy() - expected).max() <= 1e-13 * np.abs(right).max()
    alone = states(model, 7)
    alone[2].requires_grad_()   # for trees without matrices
    third, = torch.autograd.grad(function(*alone), alone[2], w)
    # 1e-12: a recursion against a product with a matrix that it made.
    assert (third - found[2]).abs().max() <= 1e-12 * found[2].abs().max()


@pytest.mark.parametrize('name', NAMES)
def test_functional_transforms(model, name):
    function = mbd_ros.torch(model, name)
    q, v, third = states(model, 6)
    assert torch.equal(torch.func.vmap(function, (0, 0, None))(q, v, third[0]),
                       function(q, v, third[0]))

    def loss(q, v, third):
        return (function(q, v, third) ** 2).sum()
    each = torch.func.vmap(torch.func.grad(loss))(q, v, third)
    q.requires_grad_()
    whole, = torch.autograd.grad(loss(q, v, third), q)
    assert torch.allclose(each, whole, rtol=1e-12, atol=0)
    jacobian = torch.autograd.functional.jacobian(lambda x: function(x, v[0], third[0]),
                                                  q[0].detach())
    right = getattr(mbd_ros.compile(model), f'{name}_derivatives')(
        q[0].detach().numpy(), v[0].numpy(), third[0].numpy())[0]
    assert np.abs(jacobian.numpy() - right).max() <= 1e-13 * np.abs(right).max()


def test_single_precision(model):
    function = mbd_ros.torch(model, 'forward_dynamics')
    given = states(model, 5, dtype=torch.float32, grad=True)
    found = function(*given)
    found.sum().backward()
    assert found.dtype == torch.float32
    right = function(*(one.double() for one in given))
    assert torch.equal(found, right.float())   # computed in double precision
    assert all(one.grad.dtype == torch.float32 for one in given)


def test_tensors_are_read_where_they_are(model, monkeypatch):
    import mbd_ros.export.torch_function as module
    seen = []
    rows = module._rows
    monkeypatch.setattr(module, '_rows', lambda array: seen.append(rows(array)) or seen[-1])
    given = states(model, 5)
    mbd_ros.torch(model, 'forward_dynamics')(*given)
    assert [one.ctypes.data for one in seen] == [one.data_ptr() for one in given]


def test_it_learns(model):
    function = mbd_ros.torch(model, 'inverse_dynamics')
    q, v, qdd = states(model, 32)
    wanted = function(q, v, qdd)
    guess = torch.zeros_like(qdd, requires_grad=True)
    optimizer = torch.optim.LBFGS([guess], max_iter=100, line_search_fn='strong_wolfe',
                                  tolerance_grad=1e-12, tolerance_change=1e-16)

    def closure():
        optimizer.zero_grad()
        loss = ((function(q, v, guess) - wanted) ** 2).sum()
        loss.backward()
        return loss
    assert optimizer.step(closure) > 1e3 * closure()


def test_what_it_refuses(model):
    function = mbd_ros.torch(model, 'forward_dynamics')
    q, v, tau = states(model, 4)
    with pytest.raises(InvalidValueError, match='v is'):
        function(q, v.numpy(), tau)
    with pytest.raises(ShapeError, match='tau has shape'):
        function(q, v, tau[:, :-1])
    with pytest.raises(ShapeError, match='broadcasts'):
        function(q, v[:3], tau)
    with pytest.raises(InvalidValueError, match='dtype of v'):
        function(q, v.float(), tau)
    with pytest.raises(InvalidValueError, match='dtype of q'):
        function(q.half(), v.half(), tau.half())
    with pytest.raises(UnsupportedError, match='meta'):
        function(q, v, tau.to('meta'))
    q[0, 0] = np.nan
    with pytest.raises(MbdError):
        function(q, v, tau)
    q, v, tau = states(model, 4, grad=True)
    first, = torch.autograd.grad(function(q, v, tau).sum(), q, create_graph=True)
    with pytest.raises(UnsupportedError, match='second'):
        first.sum().backward()
