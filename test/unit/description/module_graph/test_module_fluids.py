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

"""What a fluid does to the bodies of modules."""

from dataclasses import replace

from modules import CUBE, docked, document
import numpy as np
import pytest

import mbd_ros
from mbd_ros.description.modules import assemble, read_module_graph, write_module_graph
from mbd_ros.errors import DescriptionError
from mbd_ros.model import build_model

FLUID = ('fluid: {volume: 0.002, position: [0.1, 0, 0.01], orientation: [0, 0, 90 deg], '
         'added_mass: [1, 2, 3, 0.1, 0.2, 0.3], quadratic_drag: [1, 2, 3, 0.4, 0.5, 0.6], '
         'lift: [4, 5]}')
BODY = 'inertia: [0.02, 0.03, 0.04]}'
WET = CUBE.replace(BODY, f'{BODY[:-1]}, {FLUID}}}')
TWO = document('a: cube, b: cube', docked('a.front', 'b.swing'), motion='floating', types=WET)


def test_every_module_has_the_fluid_of_its_type():
    mechanism = assemble(read_module_graph(TWO, 'two.yaml'))
    first, second = mechanism.fluids
    assert (first.link, second.link) == ('a/hull', 'b/hull')
    assert (first.volume, first.frame.translation) == (0.002, (0.1, 0.0, 0.01))
    np.testing.assert_allclose(first.frame.rotation, [[0, -1, 0], [1, 0, 0], [0, 0, 1]],
                               atol=1e-15)
    np.testing.assert_array_equal(first.added_mass, np.diag([1, 2, 3, 0.1, 0.2, 0.3]))
    assert first.quadratic_drag == (1.0, 2.0, 3.0, 0.4, 0.5, 0.6)
    assert first.linear_drag == (0.0,) * 6
    assert first.lift == (4.0, 5.0)
    assert replace(second, link='a/hull') == first


def test_it_swims():
    model = build_model(assemble(read_module_graph(TWO, 'two.yaml')))
    still = np.zeros(model.nv)
    q = mbd_ros.neutral(model)
    sinking, falling = (mbd_ros.forward_dynamics(model, q, still, still, fluid=fluid)
                        for fluid in (mbd_ros.Fluid(), None))
    assert falling[2] == pytest.approx(-9.81)
    assert -1.0 < sinking[2] < 1.0   # 2 kg displace 2 litres each


def test_there_and_back():
    graph = read_module_graph(TWO, 'two.yaml')
    again = read_module_graph(write_module_graph(graph), 'again.yaml')
    for one, other in zip(assemble(graph).fluids, assemble(again).fluids):
        assert replace(one, source=other.source) == other


@pytest.mark.parametrize(('old', 'new', 'message'), [
    ('volume: 0.002', 'volume: -1', 'volume of .* is -1; allowed: 0 or more'),
    ('[1, 2, 3, 0.1, 0.2, 0.3]', '[1, 2]',
     'added_mass of .* has 2 entries; allowed: the 6 of a diagonal, or the 21 of an upper'),
    ('[1, 2, 3, 0.1, 0.2, 0.3]', '[1, 2, 3, 0.1, 0.2, -0.3]',
     "link 'hull' has an added mass with the eigenvalue -0.3; allowed: 0 or more"),
    ('0.4, 0.5', '-0.4, 0.5', 'quadratic_drag of .* has an entry below 0; allowed: 0 or more'),
    ('volume', 'volum', "unknown key 'volum'; .*did you mean 'volume'"),
])
def test_mistakes_are_refused(old, new, message):
    with pytest.raises(DescriptionError, match=rf'two\.yaml:\d+: .*{message}'):
        read_module_graph(TWO.replace(old, new), 'two.yaml')
