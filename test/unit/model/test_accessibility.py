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

"""Adjacency, accessibility and path matrices, against the paper's and by their definitions."""

import json
from pathlib import Path

from hypothesis import given, settings, strategies as st
from modules import cubes, PORTS
import numpy as np
import pytest

from mbd_ros.description.modules import move, read_module_graph, read_module_graph_file
from mbd_ros.errors import DockingError, InvalidValueError, ShapeError
from mbd_ros.model.accessibility import (
    accessibility, adjacency, adjacency_of, depths, end_links, moved, path_matrix)

ROOT = Path(__file__).resolve().parents[3]
PAPER = json.loads((ROOT / 'test' / 'data' / 'modules.json').read_text())
FILES = {'nine': 'nine_modules', 'quadruped': 'quadruped'}


def of_parents(parents):
    alpha = np.zeros((len(parents), len(parents)), dtype=int)
    for child, parent in enumerate(parents):
        if parent >= 0:
            alpha[parent, child] = 1
    return alpha


@st.composite
def forests(draw):
    """Draw parents whose numbering need not be from the root outwards."""
    count = draw(st.integers(1, 12))
    order = draw(st.permutations(range(count)))
    parents = [-1] * count
    for place in range(1, count):
        parents[order[place]] = order[draw(st.integers(0, place - 1))]
    return parents


@pytest.mark.parametrize('name', FILES)
def test_the_matrices_of_the_paper(name):
    graph = read_module_graph_file(ROOT / 'config' / 'modules' / f'{FILES[name]}.yaml')
    names, alpha = adjacency_of(graph)
    paper = PAPER['robots'][name]
    assert names == tuple(f's{i}' for i in range(len(alpha)))
    assert alpha.tolist() == paper['adjacency']
    assert accessibility(alpha, names).tolist() == paper['accessibility']
    assert path_matrix(accessibility(alpha)).tolist() == paper['path_matrix']


def test_the_move_of_the_paper():
    graph = read_module_graph_file(ROOT / 'config' / 'modules' / 'nine_modules.yaml')
    paper = PAPER['moved_s6_from_s0_to_s2']
    a = moved(PAPER['robots']['nine']['accessibility'], 6, 2)
    assert a.tolist() == paper['accessibility']
    assert path_matrix(a).tolist() == paper['path_matrix']
    names, alpha = adjacency_of(move(graph, 's6', parent='s2', parent_port='front'))
    assert accessibility(alpha, names).tolist() == paper['accessibility']


@given(forests())
@settings(max_examples=50, deadline=None)
def test_what_the_definitions_say(parents):
    alpha = of_parents(parents)
    a, one = accessibility(alpha), np.eye(len(parents), dtype=int)
    assert np.array_equal((a + one) @ (one - alpha), one)   # A + 1 = (1 - alpha)^-1
    assert np.array_equal(adjacency(a), alpha)
    assert end_links(a) == [i for i in range(len(parents)) if i not in parents]
    for k, depth in enumerate(depths(a)):
        steps = 0
        while parents[k] >= 0:
            k, steps = parents[k], steps + 1
        assert depth == steps


@given(forests(), st.data())
@settings(max_examples=50, deadline=None)
def test_the_rank_one_updates_give_the_recomputed_matrix(parents, data):
    a = accessibility(of_parents(parents))
    for _ in range(4):
        link = data.draw(st.integers(0, len(parents) - 1))
        parent = data.draw(st.integers(-1, len(parents) - 1))
        if parent >= 0 and (parent == link or a[link, parent]):
            with pytest.raises(DockingError, match='cannot be docked to'):
                moved(a, link, parent)
            continue
        parents[link] = parent
        a = moved(a, link, parent)
        assert np.array_equal(a, accessibility(of_parents(parents)))


@given(cubes(), st.data())
@settings(max_examples=20, deadline=None)
def test_the_updates_follow_moves_of_modules(text, data):
    graph = read_module_graph(text, 'robot.yaml')
    names, alpha = adjacency_of(graph)
    module, parent = (data.draw(st.sampled_from(names)) for _ in range(2))
    port = data.draw(st.sampled_from(PORTS))
    try:
        new = move(graph, module, parent=parent, parent_port=port)
    except DockingError:
        return
    a = moved(accessibility(alpha), names.index(module), names.index(parent))
    assert np.array_equal(a, accessibility(adjacency_of(new)[1]))


@pytest.mark.parametrize(('alpha', 'message'), [
    ([[0, 1, 0], [0, 0, 1], [1, 0, 0]], "cycle: 'a', 'b', 'c' carry each other in a cycle"),
    ([[0, 0, 0], [0, 0, 1], [0, 1, 0]], "cycle: 'b', 'c' carry each other in a cycle"),
    ([[0, 1, 1], [0, 0, 1], [0, 0, 0]],
     "two parents: 'c' has the parents 'a' and 'b'; allowed: one"),
    ([[1]], "cycle: 'a' carry each other in a cycle"),
])
def test_what_is_no_tree_is_refused_by_name(alpha, message):
    with pytest.raises(DockingError) as caught:
        accessibility(alpha, ('a', 'b', 'c')[:len(alpha)])
    assert str(caught.value) == message


def test_what_is_no_matrix_of_zeros_and_ones_is_refused():
    with pytest.raises(ShapeError, match=r'adjacency has shape \(2, 3\); allowed: \(n, n\)'):
        accessibility(np.zeros((2, 3)))
    with pytest.raises(InvalidValueError, match='allowed: zeros and ones'):
        path_matrix([[0, 2], [0, 0]])
    with pytest.raises(InvalidValueError, match='parent is 2; allowed: -1 to 1'):
        moved([[0, 1], [0, 0]], 1, 2)


def test_docking_to_oneself_and_to_what_one_carries():
    a = accessibility([[0, 1], [0, 0]])
    with pytest.raises(DockingError) as caught:
        moved(a, 0, 1)
    assert str(caught.value) == "descendant: 's0' cannot be docked to 's1', which it carries"
    with pytest.raises(DockingError) as caught:
        moved(a, 1, 1)
    assert str(caught.value) == "self-dock: 's1' cannot be docked to itself"
