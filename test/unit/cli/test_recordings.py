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

"""What the commands that read recordings refuse: topics, outputs and files beyond bounds."""

from io import BytesIO
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_LZMA, ZIP_STORED, ZipFile, ZipInfo

import numpy as np
import pytest

import mbd_ros
from mbd_ros.cli.command import main
from mbd_ros.description.xml.arrays import read_arrays

URDF = Path(__file__).resolve().parents[3] / 'urdf'
ARM = URDF / 'three_link_arm.urdf'


def declared(path, count):
    """Write a file whose array declares more numbers than it holds."""
    header = BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {'descr': '<f8', 'fortran_order': False, 'shape': (count,)})
    with ZipFile(path, 'w') as packed:
        packed.writestr('time.npy', header.getvalue() + bytes(8))
    return str(path)


@pytest.mark.parametrize('count', [2, 10**14, 10**18, 10**30])
@pytest.mark.parametrize('words', [
    ('view', '{}'), ('identify', str(ARM), '{}'),
    ('flex', str(URDF / 'flexible_arm.urdf'), 'upper_arm', '{}', '-o', 'nowhere/o.urdf')])
def test_files_that_declare_more_than_they_hold(words, count, tmp_path, capsys):
    file = declared(tmp_path / 'run.npz', count)
    assert main([word.format(file) for word in words]) == 1
    captured = capsys.readouterr().err
    assert 'this is no ' in captured and len(captured.splitlines()) == 1


@pytest.mark.parametrize('packing', [ZIP_STORED, ZIP_DEFLATED, ZIP_BZIP2, ZIP_LZMA])
def test_damaged_files_are_no_files_of_arrays(packing):
    """Bytes are changed or left out, in headers that end too early, too."""
    rng, array = np.random.default_rng(packing), BytesIO()
    np.save(array, np.arange(6.0).reshape(2, 3))
    cut = array.getvalue().replace(b', 'b"'fortran", b'(', 1)
    wrong = []
    for data in (array.getvalue(), cut, *[array.getvalue()] * 200):
        content = BytesIO()
        with ZipFile(content, 'w') as packed:
            packed.writestr(ZipInfo('q.npy'), data, packing)
        damaged = bytearray(content.getvalue())
        for place in rng.integers(0, len(damaged), 4 if wrong else 0):
            damaged[place] = rng.integers(0, 256)
        try:
            assert list(read_arrays('run.npz', 'run', data=bytes(damaged))) == ['q']
        except mbd_ros.errors.DescriptionError as error:
            wrong.append(str(error))
    assert len(wrong) > 50
    assert all(len(said.splitlines()) == 1 for said in wrong)


def test_files_that_hold_more_than_is_read(tmp_path, monkeypatch):
    np.savez(tmp_path / 'run.npz', time=np.zeros(100))
    assert read_arrays(tmp_path / 'run.npz', 'run')['time'].shape == (100,)
    monkeypatch.setattr('mbd_ros.description.xml.arrays.LARGEST', 800)
    with pytest.raises(mbd_ros.errors.DescriptionError, match='holds more than 800 bytes'):
        read_arrays(tmp_path / 'run.npz', 'run')


@pytest.mark.parametrize(('change', 'message'), [
    ({name: value}, 'as many states') for name in ('time', 'q', 'v', 'tau')
    for value in (np.float64(1.0), np.zeros((30, 0)), np.zeros((30, 4)), np.zeros((29, 3)))])
@pytest.mark.parametrize('uneven', [0.0, 0.002])
def test_arrays_of_other_shapes(change, message, uneven, tmp_path, capsys):
    time = np.arange(30) / 100
    time[3] += uneven
    arrays = {'time': time, **{name: np.zeros((30, 3)) for name in ('q', 'v', 'tau')}}
    np.savez(tmp_path / 'run.npz', **(arrays | change))
    assert main(['identify', str(ARM), str(tmp_path / 'run.npz')]) == 1
    assert message in capsys.readouterr().err


@pytest.mark.parametrize('words', [('identify', str(ARM), '{}'), ('view', '{}')])
def test_a_topic_needs_a_bag(words, tmp_path, capsys):
    model = mbd_ros.load(ARM)
    mbd_ros.simulate(model, np.zeros(3), np.zeros(3), 0.01).save(tmp_path / 'run.npz')
    file = str(tmp_path / 'run.npz')
    assert main([*(word.format(file) for word in words), '--topic', '/joint_states']) == 1
    assert 'none without a bag' in capsys.readouterr().err


@pytest.mark.parametrize(('words', 'output'), [
    (('convert', '{robot}'), '{robot}'), (('identify', '{robot}', '{other}'), '{robot}'),
    (('identify', '{robot}', '{other}'), '{other}'), (('view', '{robot}'), '{robot}'),
    (('flex', '{robot}', 'upper_arm', '{other}'), '{robot}'),
    (('flex', '{robot}', 'upper_arm', '{other}'), '{other}')])
def test_no_command_writes_over_what_it_reads(words, output, tmp_path, capsys):
    files = {'robot': tmp_path / 'robot.urdf', 'other': tmp_path / 'other.urdf'}
    (tmp_path / 'sub').mkdir()
    for file in files.values():
        file.write_bytes(ARM.read_bytes())
    target = tmp_path / 'sub' / '..' / Path(output.format(**files)).name   # by another name
    assert main([*(word.format(**files) for word in words), '-o', str(target)]) == 1
    assert 'another file than the one to read' in capsys.readouterr().err
    assert all(file.read_bytes() == ARM.read_bytes() for file in files.values())
