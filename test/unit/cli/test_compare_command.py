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

"""The command ``mbd_ros check --compare``."""

from dataclasses import replace
import json
import os
import time

from described import joint, link, robot
import numpy as np
import pytest

from mbd_ros.cli.command import main
from mbd_ros.cli.comparison import isolated
from mbd_ros.cli.comparison.files import cases_of
from mbd_ros.cli.comparison.mujoco_peer import MujocoPeer
from mbd_ros.cli.comparison.quantities import difference, Quantities
from mbd_ros.cli.comparison.table import kind_of, table
from mbd_ros.cli.comparison.verdict import Case, compare, FAILED, UNCOMPARED, Verdict
from mbd_ros.cli.convert import WRITERS
from mbd_ros.description.read import read
from mbd_ros.description.write.urdf import urdf_text

ROOT = os.path.join(os.path.dirname(__file__), '..', '..', '..')
ARM = robot(link('base'), link('arm'), joint('j', 'continuous', 'base', 'arm',
                                             '<axis xyz="0 1 0"/>'))


def compared(capsys, *words):
    """Return the exit code and the verdicts."""
    code = main(['check', '--compare', '--json', *words])
    return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_robots_of_this_package(capsys, monkeypatch):
    """Machine code, too; the stewart platform's legs are long and thin."""
    monkeypatch.chdir(ROOT)
    code, found = compared(capsys, '--compiled', 'urdf', 'test/data/mjcf')
    assert code == 0
    assert len(found) == 19
    for verdict in found:
        assert verdict['status'] == 'equal', verdict
        assert verdict['figure'] < 1e-12
        assert verdict['compiled'] < 1e-12


def test_robots_that_are_written_and_read_again(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    (tmp_path / 'free.xml').write_text(
        '<mujoco><option gravity="1 2 3"/><worldbody><body name="b" pos="1 2 3"><joint '
        'type="free" name="f" armature="0.3"/><geom size="1 2 3" type="box"/><body pos=".1 .2 .3" '
        'name="a"><joint name="j" axis="1 2 3" armature="2"/><geom size="1"/></body></body>'
        '</worldbody></mujoco>')
    found = [compare(Case(name, '', form, {}, written=True), str) for name, form in (
        ('urdf/panda.urdf', 'URDF'), (str(tmp_path / 'free.xml'), 'MJCF'))]
    ways = [('urdf', 'mbd_ros'), ('urdf', 'Pinocchio'), ('mjcf', 'mbd_ros'), ('mjcf', 'MuJoCo'),
            ('sdf', 'mbd_ros')]
    for verdict in found:
        assert verdict.status == 'equal'
        assert [(form, reader) for form, reader, *_ in verdict.written] == ways
        for form, _, figure, reason in verdict.written:
            if form == 'sdf' and 'free' in verdict.file:
                assert 'floating joint' in reason
                assert figure is None
            else:
                assert figure < 1e-12   # sums of some ten terms
    assert 'written as sdf, read by mbd_ros: 1 of 2 compared' in table(found)


def test_a_robot_that_is_written_wrongly_is_not_equal(monkeypatch):
    monkeypatch.chdir(ROOT)
    robot = read('urdf/three_link_arm.urdf')
    monkeypatch.setitem(WRITERS, 'sdf', lambda *_: urdf_text(robot).replace('mass value="', (
        'mass value="1')))
    verdict = compare(Case('urdf/three_link_arm.urdf', '', 'URDF', {}, written=True), str)
    assert verdict.status == 'not equal'
    assert verdict.reason.startswith('written as sdf, read by mbd_ros: ')


def test_principal_axes_of_mujoco(tmp_path, capsys):
    """Its compiler turns axes until they are good to 1e-6: that is no difference of robots."""
    rng = np.random.default_rng(3)
    bodies = ''
    for k in range(6):
        half = rng.normal(size=(3, 3))
        xx, xy, xz, yy, yz, zz = (np.trace(half @ half.T) * np.eye(3) - half @ half.T)[
            np.triu_indices(3)] * 10.0**rng.uniform(-7, 0)
        bodies += (f'<body name="b{k}"><joint name="j{k}" axis="1 1 1"/><inertial pos="0 0 0" '
                   f'mass="1e-3" fullinertia="{xx!r} {yy!r} {zz!r} {xy!r} {xz!r} {yz!r}"/>'
                   '</body>'.replace('np.float64(', '').replace(')', ''))
    (tmp_path / 'r.xml').write_text(f'<mujoco><worldbody>{bodies}</worldbody></mujoco>')
    code, (found,) = compared(capsys, str(tmp_path))
    assert code == 0, found
    assert found['figure'] < 1e-12
    mechanism = read(tmp_path / 'r.xml')
    peer = MujocoPeer(str(tmp_path / 'r.xml'))
    other = replace(mechanism, links=tuple(
        link if link.inertia is None else replace(link, inertia=replace(
            link.inertia, tensor=tuple(tuple(1.00001 * x for x in row)
                                       for row in link.inertia.tensor)))
        for link in mechanism.links))
    assert peer.rounded(other) == (other, '')   # a difference of the robots stays one


@pytest.mark.parametrize(('inertial', 'status'), [
    ('<inertial pos="1 2 3" mass="2" diaginertia="2 3 4"/>', 'equal'), ('', 'refused by both')])
def test_files_that_weigh_nothing_may_be_missing(tmp_path, inertial, status):
    path = tmp_path / 'r.xml'
    path.write_text(
        '<mujoco><asset><mesh name="m" file="no.stl"/><texture name="t" type="2d" file="no.png"/>'
        '<material name="c" texture="t"/><hfield name="h" file="no.bin" size="1 1 1 1"/></asset>'
        '<worldbody><geom type="hfield" hfield="h"/><geom type="mesh" mesh="m"/><body><joint '
        'name="j"/>'
        f'{inertial}<geom type="mesh" mesh="m"/><geom size="1" material="c"/></body></worldbody>'
        '</mujoco>')
    verdict = compare(Case(str(path), '', 'MJCF', {}), str)
    assert verdict.status == status, verdict


def test_every_verdict(tmp_path, capsys):
    for name, text in (
            ('a.urdf', ARM), ('two.urdf', ARM.replace('name="j"', 'name="k"')),
            ('neither.urdf', ARM.replace('<child', '<kid')),
            ('still.urdf', robot(link('base'))),
            ('loop.xml', '<mujoco><worldbody><body><joint/><geom size="1"/></body></worldbody>'
             '<equality><flex flex="x"/></equality></mujoco>'),
            ('plugin.xml', '<mujoco><extension><plugin plugin="none.such"/></extension><worldbody>'
             '<body><joint/><geom size="1"/></body></worldbody></mujoco>'),
            ('table.xml', '<launch/>'), ('notes.txt', ARM)):
        (tmp_path / name).write_text(text)
    code, found = compared(capsys, str(tmp_path))
    assert code == 0
    assert {os.path.basename(one['file']): one['status'] for one in found} == {
        'a.urdf': 'equal', 'loop.xml': 'refused by both', 'neither.urdf': 'refused by both',
        'plugin.xml': 'not compared', 'still.urdf': 'not compared', 'two.urdf': 'equal'}
    assert all(one['reason'] for one in found if one['status'] != 'equal')
    assert {one['source'] for one in found} == {str(tmp_path)}


def test_table():
    verdicts = [Verdict('a.urdf', 'here', 'URDF', 'not equal', "joint 'j' is not here"),
                Verdict('b.urdf', 'here', 'URDF', 'not equal', "joint 'k' is not here"),
                Verdict('c.xml', 'there', 'MJCF', 'equal', '', 3.2e-15)]
    lines = table(verdicts).splitlines()
    assert lines[2] == '| MJCF | there | 1 | 1 | 0 | 0 | 0 | 0 | 0 | 3e-15 |'
    assert lines[3] == '| URDF | here | 2 | 0 | 2 | 0 | 0 | 0 | 0 |  |'
    assert lines[-1] == '    2  joint ... is not here'
    assert kind_of('cannot be written: a/b.xml:12: writing it') == 'cannot be written: writing it'


def test_a_run_that_was_ended_goes_on(tmp_path, capsys):
    """What is in the record is not compared again; a line that was cut off is written over."""
    for source in ('one', 'two'):
        (tmp_path / source / 'urdf').mkdir(parents=True)
        (tmp_path / source / 'urdf' / 'arm.urdf').write_text(ARM)
    files = sorted(map(str, tmp_path.glob('*/urdf/arm.urdf')))
    record = tmp_path / 'record.jsonl'
    code, found = compared(capsys, files[0], '--record', str(record), '--written')
    assert code == 0
    assert len(found) == 1
    record.write_text(record.read_text() + '{"file": "cut o')
    code, found = compared(capsys, *files, '--record', str(record), '--written')
    assert code == 0
    assert [one['file'] for one in found] == files[1:]
    assert [json.loads(line)['file'] for line in record.read_text().splitlines()] == files
    assert main(['check', '--compare', *files, '--record', str(record)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith('| all |  | 2 | 2 |') for line in lines)
    assert 'written as urdf, read by mbd_ros: 2 of 2 compared, largest difference 0e+00' in lines


@pytest.mark.parametrize('text', ['[]\n', '{"file": 1}\n', 'x\n', '{"written": [[1]]}\n',
                                  '{"written": [], "other": 1}\n', '\xff\n'])
def test_a_record_is_no_other_file(tmp_path, capsys, text):
    (tmp_path / 'arm.urdf').write_text(ARM)
    record = tmp_path / 'record.jsonl'
    record.write_bytes(text.encode('latin-1'))
    assert main(['check', '--compare', str(tmp_path / 'arm.urdf'), '--record', str(record)]) == 1
    assert 'no file of verdicts' in capsys.readouterr().err
    assert record.read_bytes() == text.encode('latin-1')


def test_sources(tmp_path, monkeypatch):
    """The folder that was named; of files, the one below the folder that has them all."""
    monkeypatch.chdir(tmp_path)
    for name in ('a/urdf/one.urdf', 'a/two.urdf', 'b/x/three.urdf', 'four.urdf'):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(ARM)

    def sources(*names):
        return [os.path.basename(case.source) for case in cases_of(names, {}, 1e-9, False)]
    here = os.path.basename(tmp_path)
    assert sources('a/urdf/one.urdf', 'a/two.urdf', 'b/x/three.urdf', 'four.urdf') == [
        'a', 'a', 'b', here]
    assert sources('a', 'b') == ['a', 'a', 'b']
    assert sources('a/urdf/one.urdf') == ['urdf']


def test_what_is_not_equal_is_said_and_is_the_exit_code(tmp_path, capsys):
    (tmp_path / 'robot.urdf').write_text(ARM.replace('0 1 0', '0.6 0 0.8'))
    code, (verdict,) = compared(capsys, str(tmp_path), '--tolerance', '1e-300', '--most', '1')
    assert code == int(verdict['figure'] > 0.0)
    assert verdict['status'] == ('not equal' if code else 'equal')
    assert ('not' in verdict['reason']) == bool(code)


@pytest.mark.parametrize(('mass', 'gravity', 'where'), [
    ([[4.0, 0.0], [0.0, 1e-6]], [1.0, 0.0], ''),
    ([[4.0, 0.0], [0.0, 1.1e-6]], [1.0, 0.0], "mass matrix of 'b' and 'b': 1.1e-06, not 1e-06"),
    ([[4.0, 1e-5], [0.0, 1e-6]], [1.0, 0.0], "mass matrix of 'a' and 'b': 1e-05, not 0"),
    ([[4.0, 0.0], [0.0, 1e-6]], [1.0, 1e-4], "gravity of 'b': 0.0001, not 0"),
    ([[4.0, 0.0], [0.0, 1e-6]], [float('nan'), 0.0], "gravity of 'a': nan, not 1")])
def test_no_small_joint_hides_behind_a_large_one(mass, gravity, where):
    right = Quantities(np.diag([4.0, 1e-6]), np.array([1.0, 0.0]), np.zeros(2))
    found = Quantities(np.array(mass), np.array(gravity), np.zeros(2))
    apart = difference(found, right, ['a', 'b'], 0.0)
    assert apart.where == where
    assert not where or not apart.figure < 1e-3


def test_crashes_and_hangs_end_with_their_file(monkeypatch):
    """Each file has a process of its own; what a file does to it is its verdict."""
    monkeypatch.setattr(isolated, 'compare', _misbehave)
    monkeypatch.setattr(isolated, 'get_context', lambda _: _forking())
    names = ['peer crash', 'peer hang', 'reading crash', 'reading error', 'numbers fine']
    begin = time.monotonic()
    found = list(isolated.verdicts([Case(name, 's', 'URDF', {}) for name in names], 0.5))
    assert time.monotonic() - begin < 20.0   # half a second to wait, and a busy machine
    assert [one.status for one in found] == [UNCOMPARED, UNCOMPARED, FAILED, FAILED, 'equal']
    assert [one.reason for one in found] == [
        'the peer ended by SIGKILL, while peer', 'the peer took more than 0.5 s, while peer',
        'ended by SIGKILL, while reading', 'ValueError: what', '']


def _forking():
    """Return a context whose processes see what a test has put in."""
    from multiprocessing import get_context
    context = get_context('fork')
    context.set_forkserver_preload = lambda names: None
    return context


def _misbehave(case, at):
    where, how = case.file.split()
    at(where)
    if how == 'crash':
        os.kill(os.getpid(), 9)
    if how == 'hang':
        time.sleep(60.0)
    if how == 'error':
        raise ValueError('what')
    return Verdict(case.file, case.source, 'URDF', 'equal')


def test_wrong_words(tmp_path, capsys):
    assert main(['check', '--compare', str(tmp_path / 'nothing')]) == 1
    assert 'there is no such file or folder' in capsys.readouterr().err
    assert main(['check', '--compare', str(tmp_path), '--seconds', 'nan']) == 1
    assert '--seconds' in capsys.readouterr().err
