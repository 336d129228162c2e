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
