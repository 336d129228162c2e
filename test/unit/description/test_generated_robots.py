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

"""Files of loops and module graphs that are generated: read, or one clear message, in time."""

import functools
import json
from pathlib import Path
import random
import time
from types import SimpleNamespace

import fuzz_descriptions
from generated_robots import graph_file, loops_file
from mbd_msgs.srv import CheckModel
import numpy as np
import pytest
from rclpy.serialization import deserialize_message, serialize_message

import mbd_ros
from mbd_ros.description.modules import assemble, read_module_graph
from mbd_ros.errors import DescriptionError
from mbd_ros.model import load_text
from mbd_ros.model.loops import MOST_ROWS
from mbd_ros.model.state import neutral
from mbd_ros.nodes.serving.worker_process import answer, Job

ROOT = Path(__file__).resolve().parents[3]
ROBOTS = ('three_link_arm', 'four_bar', 'puma560')
SETTINGS = SimpleNamespace(executor='', threads=0, gravity=[], fluid=SimpleNamespace(vacuum=True))
LONGEST = 20.0   # s of computing: some hundredths are usual, a busy machine makes it longer
MOTION = '<axis xyz="0 0 1"/><origin xyz="1 0 0"/>'
MASS = ('<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
        '</inertial>')


def moves(model):
    """Compute accelerations from rest; all are finite, or an error says why not."""
    rest = np.zeros(model.nv)
    if not model.loops:
        fuzz_descriptions.move(model)
    elif model.nv < fuzz_descriptions.MOST_JOINTS:
        found = mbd_ros.constrained_dynamics(
            model, neutral(model), rest, rest, executor='interpreted')
        assert np.isfinite(found.accelerations).all()


def outcome(read):
    """Return a model and no problem, or None and what is wrong with how it was refused."""
    begin, model, problem = time.process_time(), None, ''
    try:
        model = read()
        moves(model)
    except Exception as error:
        problem = fuzz_descriptions.wrong(error)
    taken = time.process_time() - begin
    return model, problem or (f'{taken:.1f} s of computing' if taken > LONGEST else '')


@pytest.mark.filterwarnings('ignore')   # loops that do not close where they begin
def test_generated_files_of_loops_beside_a_robot(tmp_path):
    """What is read is answered by check_model, too, as a description that came as text."""
    texts = {name: (ROOT / f'urdf/{name}.urdf').read_text() for name in ROBOTS}
    links = {name: [link.name for link in mbd_ros.load(text).mechanism.links]
             for name, text in texts.items()}
    read = 0
    for number in range(60):
        rng = random.Random(f'loops {number}')
        name = rng.choice(ROBOTS)
        text = loops_file(rng, links[name] + ['nowhere'] * rng.choice((0, 0, 0, 1)))
        file = tmp_path / f'{name}.urdf'
        file.write_text(texts[name])
        (tmp_path / f'{name}.loops.yaml').write_text(text)
        model, problem = outcome(functools.partial(mbd_ros.load, file))
        assert not problem, f'{number}: {problem}\n{text}'
        read += model is not None
        if model is not None and number % 10 == 0:
            request = CheckModel.Request(robot_description=model.mechanism.text)
            done = answer(Job('check_model', serialize_message(request), SETTINGS, 0, None), None)
            found = deserialize_message(bytes(done.response), CheckModel.Response)
            assert not done.trace and len(found.message.splitlines()) <= 1
    assert 10 < read < 50


def of_modules(text):
    """Return the model of a module graph that came by a service."""
    return load_text(assemble(read_module_graph(text, 'robot.yaml', types={})).text)


@pytest.mark.filterwarnings('ignore')
def test_generated_graphs_of_modules():
    read = 0
    for number in range(150):
        text = graph_file(random.Random(f'graph {number}'))
        model, problem = outcome(functools.partial(of_modules, text))
        assert not problem, f'{number}: {problem}\n{text}'
        read += model is not None
    assert 10 < read < 130


def chain(count):
    """Return a chain of links, a loop joint from each to the first."""
    joints = ''.join(
        f'<link name="l{k + 1}">{MASS}</link><joint name="j{k}" type="continuous">'
        f'<parent link="l{k}"/><child link="l{k + 1}"/>{MOTION}</joint>' for k in range(count))
    loops = ''.join(
        f'\n<loop_joint name="c{k}" type="revolute"><link1 link="l0"/><link2 link="l{k}"/>'
        '</loop_joint>' for k in range(2, count))
    return f'<robot name="r"><link name="l0"/>{joints}{loops}</robot>'


def test_code_for_the_loops_of_a_text_takes_bounded_time():
    """It grows with the cube of the rows at a body: 20 kB of text were minutes and gigabytes."""
    fits = MOST_ROWS // 5 + 1
    assert len(load_text(chain(fits)).loops) == fits - 2
    for count in (fits + 2, 2000):
        with pytest.raises(DescriptionError, match=(
                rf"^<string>:\d+: loop 'c{MOST_ROWS // 5 + 2}' is one too many: 205 .*'l2'; "
                rf'allowed: {MOST_ROWS}')):
            load_text(chain(count))
    assert len(mbd_ros.load(chain(fits + 2)).loops) == fits


def of_many(name, count=4000):
    """Return a document that repeats something, and whether it is one of loops."""
    kind = {'bodies': {'b': {'mass': 1, 'inertia': [1, 1, 1]}},
            'ports': {'i': {'joint': {'type': 'continuous'}}, 'o': {'position': [1, 0, 0]}}}
    graph = {'module_graph': 1, 'name': 'r', 'types': {'t': kind}, 'base': {'module': 'm0'},
             'instances': {f'm{k}': 't' for k in range(count)}, 'connections': []}
    ends = {'link1': {'link': 'base_link'}, 'link2': {'link': 'link3'}}
    return {
        'unknown links': {'version': 1, 'loop_joints': [
            {'name': f'l{k}', 'type': 'spherical', 'link1': {'link': 'base_link'},
             'link2': {'link': f'nowhere{k}'}} for k in range(count)]},
        'one name': {'version': 1, 'loop_joints': [
            {'name': 'l', 'type': 'spherical', **ends} for _ in range(count)]},
        'loops': {'version': 1, 'loop_joints': [
            {'name': f'l{k}', 'type': 'spherical', **ends} for k in range(count)]},
        'springs': {'version': 1, 'springs': [
            {'name': f's{k}', **ends, 'stiffness': 1} for k in range(count)]},
        'names': {'version': 1, 'loop_joints': [{
            'name': 'ab' * 20 * count, 'type': 'spherical', 'link1': {'link': 'base_link'},
            'link2': {'link': 'ba' * 20 * count}}]},
        'unknown modules': {**graph, 'connections': [
            {'parent': f'm{k}.o', 'child': f'n{k}.i'} for k in range(count)]},
        'a ring': {**graph, 'connections': [
            {'parent': f'm{k}.o', 'child': f'm{(k + 1) % count}.i'} for k in range(count)]},
        'one port': {**graph, 'connections': [
            {'parent': 'm0.o', 'child': f'm{k}.i'} for k in range(1, count)]},
        'nothing docked': graph,
        'unknown types': {**graph, 'instances': {f'm{k}': f'u{k}' for k in range(count)}},
    }[name]


@pytest.mark.parametrize('name', [
    'unknown links', 'one name', 'loops', 'springs', 'names', 'unknown modules', 'a ring',
    'one port', 'nothing docked', 'unknown types'])
def test_files_that_repeat_something_take_linear_time(tmp_path, name):
    """Each is read within a second where nothing else runs; a quadratic way took minutes."""
    document = of_many(name)
    text = json.dumps(document)
    (tmp_path / 'arm.urdf').write_text((ROOT / 'urdf/three_link_arm.urdf').read_text())
    (tmp_path / 'arm.loops.yaml').write_text(text if 'version' in document else 'version: 1')
    _, problem = fuzz_descriptions.tried(text, lambda text, _: (
        mbd_ros.load(tmp_path / 'arm.urdf') if 'version' in document else assemble(
            read_module_graph(text, 'robot.yaml', types={}))), random.Random(1))
    assert not problem
