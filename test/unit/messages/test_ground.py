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

"""Heights of the ground from a file, and the ground as lines."""

from pathlib import Path

from geometry_msgs.msg import Point
import numpy as np
import pytest
from visualization_msgs.msg import Marker, MarkerArray

from mbd_ros import Ground
from mbd_ros.errors import InvalidValueError, MbdError
from mbd_ros.messages.states.ground import (
    ground_lines, ground_marker, heights_from_file, lines_of_ground)

ROOT = Path(__file__).parents[3]
ROWS = 'heights: [[0.0, 0.1, 0.2], [0.3, 0.4, -0.5]]\n'


def ground_in(tmp_path, text):
    """Return the ground that a file of this text describes."""
    file = tmp_path / 'ground.yaml'
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return Ground(0.25, **heights_from_file(str(file)))


def test_a_file(tmp_path):
    found = ground_in(tmp_path, ROWS + 'spacing: [0.5, 2]\norigin: [-1, 3.5]\n')
    assert found == Ground(0.25, heights=[[0.0, 0.1, 0.2], [0.3, 0.4, -0.5]], spacing=(0.5, 2.0),
                           origin=(-1.0, 3.5))
    assert ground_in(tmp_path, ROWS).spacing == (1.0, 1.0)


def test_the_shipped_one():
    found = Ground(**heights_from_file(str(ROOT / 'config' / 'grounds' / 'ripples.yaml')))
    assert np.shape(found.heights) == (12, 4) and np.abs(found.heights).max() < 0.02


@pytest.mark.parametrize(('text', 'message'), [
    ('', "heights of the ground in '.*ground.yaml' is None; allowed: heights, and if wanted"),
    ('[1, 2]', 'allowed: heights, and if wanted spacing and origin'),
    ('spacing: 1', r"is \['spacing'\]; allowed: heights, and if wanted"),
    (ROWS + 'normal: [0, 0, 1]', r"is \['heights', 'normal'\]; allowed: heights"),
    (ROWS + ROWS, 'allowed: YAML of plain values'),
    ('heights: &a [*a, *a]', 'allowed: YAML of plain values'),
    ('heights: !!python/object/apply:os.system [ls]', 'allowed: YAML of plain values'),
    ('heights: ' + 20 * '[' + 20 * ']', 'allowed: YAML of plain values, at most 16 levels'),
    ('#' * 100_001, 'is .a longer file.; allowed: at most 100000 characters'),
    (b'heights: [[\xff, 0], [0, 0]]', 'this is not UTF-8 text'),
    ('heights: [[0, 1], [0]]', r'heights of the ground is .*; allowed: \(nx, ny\) finite numbers'),
    ('heights: [[0, .nan], [0, 1]]', r'allowed: \(nx, ny\) finite numbers'),
    ('heights: [[0, 1e300], [0, 1]]', r'allowed: \(nx, ny\) finite numbers'),
    ('heights: [[0, 1]]', r'of shape \(1, 2\).*; allowed: \(nx, ny\) finite numbers'),
    (f'heights: {[[0] * 33] * 33}', r'of shape \(33, 33\).*; allowed: .*to 1024 in all'),
    (ROWS + 'spacing: 0', 'spacing of the ground is 0.0; allowed: one or two positive'),
    (ROWS + 'origin: here', "origin of the ground is 'here'; allowed: two finite numbers"),
])
def test_bad_files_are_one_line(tmp_path, text, message):
    with pytest.raises(MbdError, match=message) as caught:
        ground_in(tmp_path, text)
    said = str(caught.value)
    assert '\n' not in said and len(said) < 1000


@pytest.mark.parametrize('name', ['', 'no_such.yaml', '/dev/zero', 'a\0b', '~nobody-here/x'])
def test_files_that_are_none(tmp_path, name, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MbdError):
        heights_from_file(name)


@pytest.mark.parametrize('ground', [
    Ground(0.3, (0.6, 0.0, 0.8)), Ground(-0.5),
    Ground(0.25, heights=np.arange(6.0).reshape(2, 3), spacing=(0.5, 2.0), origin=(-1.0, 3.5))])
def test_lines_lie_on_the_ground(ground):
    lines = ground_lines(ground)
    assert lines.shape == ((144, 2, 3) if ground.heights is None else (7, 2, 3))
    for x, y, z in lines.reshape(-1, 3).tolist():
        if ground.heights is None:
            assert np.dot(ground.normal, (x, y, z)) == pytest.approx(ground.height, abs=1e-12)
        else:
            row, column = round((x + 1.0) / 0.5), round((y - 3.5) / 2.0)
            assert z == ground.heights[row][column] + ground.height
    assert (np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1) > 0.4).all()
    message = ground_marker('map', ground)
    assert message.markers[0].header.frame_id == 'map'
    assert message.markers[0].frame_locked   # said once: RViz would try once to transform it
    np.testing.assert_array_equal(lines_of_ground(message), lines)


def test_what_others_send_is_drawn_as_far_as_it_goes():
    message = ground_marker('map', Ground())
    message.markers[0].points = message.markers[0].points[:5]
    assert lines_of_ground(message).shape == (2, 2, 3)
    assert lines_of_ground(MarkerArray(markers=[Marker()])).shape == (0, 2, 3)


def test_without_a_ground_what_is_drawn_goes():
    (one,) = ground_marker('world', None).markers
    assert one.action == Marker.DELETEALL
    assert lines_of_ground(ground_marker('world', None)).shape == (0, 2, 3)


def test_lines_that_cannot_be_drawn_are_left_out():
    one = Marker(ns='ground', type=Marker.LINE_LIST)
    far = [0.0, float('nan'), float('inf'), 1e308, 1.0]
    one.points = [Point(x=x) for value in far for x in (0.5, value)] * 2000
    lines = lines_of_ground(MarkerArray(markers=[one]))
    assert np.isfinite(lines).all() and np.abs(lines).max() < 2.0 and 0 < len(lines) <= 2048


@pytest.mark.parametrize('rows', ['', '[[true, false], [1, 2]]', '7', '[1, 2]'])
def test_heights_are_rows_of_numbers(tmp_path, rows):
    file = tmp_path / 'ground.yaml'
    file.write_text(f'heights: {rows}\n')
    with pytest.raises(InvalidValueError, match='a list of rows of numbers'):
        heights_from_file(str(file))
