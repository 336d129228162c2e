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

"""Runs are bags of ROS 2, and bags of joint states are runs."""

from pathlib import Path
import sys

import numpy as np
import pytest

import mbd_ros
from mbd_ros.errors import DescriptionError, InvalidValueError, MbdError, UnsupportedError
from mbd_ros.simulation.bags import JointRecording, read_bag, states_in, write_bag

rosbag2 = pytest.importorskip('rosbags.rosbag2')
URDF = Path(__file__).resolve().parents[3] / 'urdf'
TEXT = (URDF / 'three_link_arm.urdf').read_text()
NAMES = ('joint1', 'joint2', 'joint3')


def recording(**changes):
    time = np.arange(30) / 100
    values = np.sin(np.outer(time, [1.0, 2.0, 3.0]))
    rates = np.cos(np.outer(time, [1.0, 2.0, 3.0])) * [1.0, 2.0, 3.0]
    return JointRecording(time, NAMES, values, rates, 5.0 * values, TEXT)._replace(**changes)


@pytest.fixture(scope='module')
def arm():
    return mbd_ros.load(URDF / 'three_link_arm.urdf')


@pytest.mark.parametrize('name', ['run.mcap', 'run'])
@pytest.mark.parametrize('robot', ['three_link_arm', 'four_bar', 'flexible_arm'])
def test_what_is_read_is_what_was_saved(robot, name, tmp_path):
    model = mbd_ros.load(URDF / f'{robot}.urdf')
    q = mbd_ros.neutral(model) + (0.01 if model.elastic is None else 0.0)
    q = mbd_ros.close_loops(model, q, np.zeros(model.nv))[0] if model.loops else q
    run = mbd_ros.simulate(model, q, np.zeros(model.nv), 0.002)
    run.save(tmp_path / name)
    back = mbd_ros.load_trajectory(tmp_path / name)
    assert np.array_equal(back.q, run.q) and np.array_equal(back.v, run.v)
    np.testing.assert_allclose(back.time, run.time, atol=1e-9)   # stamps are in nanoseconds
    assert back.model.joint_names == model.joint_names
    # URDF has roll, pitch and yaw for rotations: some rounding of each.
    np.testing.assert_allclose(back.energy, run.energy, rtol=1e-9, atol=1e-9)


def test_the_bag_is_one_for_ros_2(tmp_path):
    write_bag(tmp_path / 'run', recording())
    text = (tmp_path / 'run' / 'metadata.yaml').read_text()
    assert 'version: 8' in text and 'storage_identifier: sqlite3' in text
    with rosbag2.Reader(tmp_path / 'run') as reader:
        found = {each.topic: each for each in reader.connections}
    assert set(found) == {'/joint_states', '/robot_description'}
    profiles = {topic: each.ext.offered_qos_profiles[0] for topic, each in found.items()}
    assert profiles['/robot_description'].durability.name == 'TRANSIENT_LOCAL'
    assert profiles['/joint_states'].durability.name == 'VOLATILE'
    assert 'MSG: std_msgs/' in found['/joint_states'].msgdef.data


def test_joints_are_matched_by_name(arm, tmp_path):
    one = recording()
    turned = one._replace(names=NAMES[::-1], position=one.position[:, ::-1],
                          velocity=one.velocity[:, ::-1], effort=one.effort[:, ::-1])
    write_bag(tmp_path / 'run.mcap', turned)
    q, v, tau = states_in(read_bag(tmp_path / 'run.mcap'), arm)
    assert np.array_equal(q, one.position) and np.array_equal(v, one.velocity)
    assert np.array_equal(tau, one.effort)


def test_rates_that_are_not_there_are_differences(arm, tmp_path):
    write_bag(tmp_path / 'run.mcap', recording(velocity=None, effort=None))
    _, v, tau = states_in(read_bag(tmp_path / 'run.mcap'), arm)
    # Central differences are off by h^2 / 6 of the third derivative: 1e-4 / 6 * 27 rad/s.
    np.testing.assert_allclose(v[1:-1], recording().velocity[1:-1], atol=5e-4)
    assert tau is None


@pytest.mark.parametrize(('changes', 'message'), [
    ({'robot': ''}, 'no robot_description'), ({'names': ('a', 'b', 'c')}, "'joint1'"),
    ({'position': np.full((30, 3), np.nan)}, 'not finite'),
    ({'time': np.zeros(0)}, 'no messages')])
def test_bags_that_are_no_run(changes, message, tmp_path):
    if 'time' in changes:   # a topic that nobody wrote
        with rosbag2.Writer(tmp_path / 'run', version=8) as writer:
            from rosbags.typesys import get_typestore, Stores
            writer.add_connection('/joint_states', 'sensor_msgs/msg/JointState',
                                  typestore=get_typestore(Stores.ROS2_HUMBLE))
    else:
        write_bag(tmp_path / 'run', recording(**changes))
    with pytest.raises(MbdError, match=message):
        mbd_ros.load_trajectory(tmp_path / 'run')


def test_files_that_are_no_bags(tmp_path):
    (tmp_path / 'a.mcap').write_bytes(b'x' * 200)
    (tmp_path / 'b').mkdir()
    for name in ('a.mcap', 'b', 'c.db3'):
        with pytest.raises(DescriptionError, match='no readable bag'):
            read_bag(tmp_path / name)


def test_what_cannot_be_written(arm, tmp_path, monkeypatch):
    (tmp_path / 'there').mkdir()
    for name in ('there', 'no/run.mcap'):
        with pytest.raises(MbdError, match='cannot be written'):
            write_bag(tmp_path / name, recording())
    run = mbd_ros.simulate(arm, np.zeros(3), np.zeros(3), 0.01)
    with pytest.raises(InvalidValueError, match='without its robot'):
        run._replace(model=None).save(tmp_path / 'run.mcap')
    free = mbd_ros.load(URDF / 'space_robot.urdf.xacro', floating_base=True)
    falling = mbd_ros.simulate(free, mbd_ros.neutral(free), np.zeros(free.nv), 0.01)
    with pytest.raises(UnsupportedError, match='several coordinates'):
        falling.save(tmp_path / 'run.mcap')
    monkeypatch.setitem(sys.modules, 'rosbags', None)
    with pytest.raises(UnsupportedError, match='pip install rosbags'):
        run.save(tmp_path / 'run.mcap')


def bag_of(path, messages, topic='/joint_states', robots=(), others=()):
    """Write messages of one joint: stamps and times of arrival [s], values by field."""
    from rosbags.typesys import get_typestore, Stores
    store = get_typestore(Stores.ROS2_HUMBLE)
    kind, string = 'sensor_msgs/msg/JointState', 'std_msgs/msg/String'
    state, header, stamp, text = (store.types[name] for name in (
        kind, 'std_msgs/msg/Header', 'builtin_interfaces/msg/Time', string))
    with rosbag2.Writer(path, version=8) as writer:
        for name in others:
            writer.add_connection(name, kind, typestore=store)
        connection = writer.add_connection(topic, kind, typestore=store)
        for name in robots:
            writer.write(writer.add_connection(name, string, typestore=store), 1,
                         store.serialize_cdr(text(name), string))
        for sent, arrived, fields in messages:
            values = {'name': ['j'], 'position': [1.0], 'velocity': [2.0], 'effort': [3.0]}
            values |= fields
            names = values.pop('name')
            frame = values.pop('frame', '')
            message = state(header(stamp(*divmod(round(sent * 1e9), 10**9)), frame), names,
                            *map(np.array, values.values()))
            writer.write(connection, round(arrived * 1e9), store.serialize_cdr(message, kind))
    return path


def test_a_prefix_of_frames_is_none_of_joints(arm, tmp_path):
    """``frame_prefix:=left/`` is in front of frames, not of the names of joints."""
    rows = {'name': list(NAMES), 'position': [0.1, 0.2, 0.3], 'velocity': [0.0] * 3,
            'effort': [1.0, 2.0, 3.0], 'frame': 'left/base_link'}
    bag = bag_of(tmp_path / 'run', [(1.0, 1.0, rows), (2.0, 2.0, rows)],
                 topic='/left/joint_states', robots=('/left/robot_description',),
                 others=('/left/controller/joint_states',))   # as recorded with all topics
    q, _, tau = states_in(read_bag(bag), arm)
    assert q[0].tolist() == [0.1, 0.2, 0.3] and tau[0].tolist() == [1.0, 2.0, 3.0]


def test_of_two_robots_one_has_to_be_chosen(tmp_path):
    bag = bag_of(tmp_path / 'run', [(1.0, 1.0, {})], topic='/left/joint_states',
                 robots=('/left/robot_description', '/right/robot_description'),
                 others=('/right/joint_states',))
    with pytest.raises(InvalidValueError, match=r"topic is 'not given'; allowed: one of "
                       '/left/joint_states, /right/joint_states'):
        read_bag(bag)


def said(found):
    return [str(finding).partition('warning: ')[2] for finding in found.findings]


@pytest.mark.parametrize('place', [0, 1, 2])
@pytest.mark.parametrize('field', ['position', 'velocity', 'effort'])
def test_one_message_without_a_field_is_passed_over(field, place, tmp_path):
    messages = [(k + 1, k + 1, {field: []} if k == place else {}) for k in range(3)]
    found = read_bag(bag_of(tmp_path / 'run', messages))
    assert found.position.shape == found.velocity.shape == found.effort.shape == (2, 1)
    assert said(found) == [f'1 of 3 messages passed over because they have no {field}']


def test_a_field_that_few_messages_have_does_not_cost_the_others(tmp_path):
    messages = [(k + 1, k + 1, {} if k == 7 else {'effort': []}) for k in range(30)]
    found = read_bag(bag_of(tmp_path / 'run', messages))
    assert len(found.time) == 30 and found.effort is None
    assert said(found) == ['effort left out: only 1 of 30 messages have it']
    with pytest.raises(DescriptionError, match=r'2 of 2 messages passed over .* no position'):
        read_bag(bag_of(tmp_path / 'none', [(k, k, {'position': []}) for k in (1, 2)]))


@pytest.mark.parametrize(('stamps', 'arrivals', 'times', 'count'), [
    ((5, 1, 2), (5, 6, 7), (0,), 2), ((1, 2, 2, 3), (1, 2, 3, 4), (0, 1, 2), 1),
    ((0, 1.7e9, 1.7e9 + 1), (1.7e9 - 1, 1.7e9, 1.7e9 + 1), (0, 1, 2), 0),
    ((1.7e9, 0, 1.7e9 + 2), (1.7e9, 1.7e9 + 1, 1.7e9 + 2), (0, 1, 2), 0),
    ((0, 1.7e9, 1.7e9 + 1), (1.7e9 + 7199, 1.7e9 + 7200, 1.7e9 + 7201), (0, 1, 2), 0),
    ((0, 1, 2), (1.7e9, 1.7e9 + 5, 1.7e9 + 10), (0, 1, 2), 0),   # simulated, slower than real
    ((0, 0, 0), (4, 5, 7), (0, 1, 3), 0), ((0, 1, 2), (0, 1, 2), (0, 1, 2), 0)])
def test_times_are_those_of_stamps_where_there_are_some(stamps, arrivals, times, count, tmp_path):
    found = read_bag(bag_of(tmp_path / 'run', [(*pair, {}) for pair in zip(stamps, arrivals)]))
    # 1.7e9 s in doubles are good to 2.4e-7 s.
    np.testing.assert_allclose(found.time, times, atol=1e-6)
    assert said(found) == ([f'{count} of {len(stamps)} messages passed over because they are not '
                            'later than those before'] if count else [])


def test_other_joints_are_counted(tmp_path):
    found = read_bag(bag_of(tmp_path / 'run', [
        (1, 1, {}), (2, 2, {'name': ['other']}), (3, 3, {})]))
    assert said(found) == ['1 of 3 messages passed over because they name other joints than the '
                           'first']


@pytest.mark.parametrize(('topic', 'robot'), [
    ('/left/joint_states', '/left/robot_description'),
    ('/joint_states', '/robot_description'), ('/other/joint_states', '/z/robot_description')])
def test_the_robot_is_that_beside_the_joint_states(topic, robot, tmp_path):
    robots = ('/left/robot_description', '/robot_description', '/z/robot_description')
    assert read_bag(bag_of(tmp_path / 'run', [(1, 1, {})], topic, robots)).robot == robot


@pytest.mark.parametrize('name', ['run.mcap', 'run'])
@pytest.mark.parametrize('time', [-1.0, 2.0**31, 1e300, np.nan, np.inf, None])
def test_times_that_stamps_cannot_hold(time, name, tmp_path):
    one = recording()
    times = np.zeros(0) if time is None else np.append(one.time[:-1], time)
    with pytest.raises(InvalidValueError, match='less than 2147483648'):
        write_bag(tmp_path / name, one._replace(time=times))
    assert not list(tmp_path.iterdir())
    write_bag(tmp_path / name, one._replace(time=np.append(one.time[:-1], np.nextafter(2**31, 0))))


def test_a_run_tells_what_was_passed_over_and_reads_the_topic_that_is_named(tmp_path):
    write_bag(tmp_path / 'run', recording(time=np.minimum(recording().time, 0.28)))
    run = mbd_ros.load_trajectory(tmp_path / 'run', topic='/joint_states')
    assert said(run) == ['1 of 30 messages passed over because they are not later than those '
                         'before']
    with pytest.raises(InvalidValueError, match='one of /joint_states'):
        mbd_ros.load_trajectory(tmp_path / 'run', topic='/other')
    run.save(tmp_path / 'run.npz')
    with pytest.raises(InvalidValueError, match='none without a bag'):
        mbd_ros.load_trajectory(tmp_path / 'run.npz', topic='/joint_states')
