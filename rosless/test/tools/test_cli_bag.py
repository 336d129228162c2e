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

"""``ros2 bag``: what is recorded, how it is played, and what is said of bad bags."""

from pathlib import Path
import re
import signal
import sys
from types import SimpleNamespace

import pytest
from rclpy.qos import DurabilityPolicy
from rclpy.qos import ReliabilityPolicy
from rclpy.serialization import serialize_message
from ros2cli import bags
from ros2cli.command.bag import info
from ros2cli.command.bag import record
from rosbags.interfaces import Qos
from rosbags.interfaces import QosTime
from rosbags.rosbag2 import Reader
from rosbags.rosbag2 import StoragePlugin
from rosbags.rosbag2 import Writer
from rosbags.rosbag2.metadata import parse_qos
from rosbags.typesys import get_typestore
from rosbags.typesys import Stores
from rosidl_runtime_py import get_message_interfaces
from std_msgs.msg import String

COUNT = 40
NAME = 'std_msgs/msg/String'
PROGRAM = f"""
import sys, time
import rclpy
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String

topic, role = sys.argv[1:]
latched = DurabilityPolicy.TRANSIENT_LOCAL
rclpy.init()
node = rclpy.create_node(role)
if role == 'listener':
    node.create_subscription(String, topic, lambda data: print('got', data.hex()), 100, raw=True)
    print('listens')
    rclpy.spin(node)
elif role == 'latching':
    node.create_publisher(String, topic, QoSProfile(depth=1, durability=latched)).publish(
        String(data='<robot/>'))
    time.sleep(600)
else:
    publisher = node.create_publisher(String, topic, 100)
    while not publisher.get_subscription_count():
        time.sleep(0.01)
    time.sleep(0.2)
    for k in range({COUNT}):
        publisher.publish(String(data=k * 'ä'))
        time.sleep(0.01)
    publisher.wait_for_all_acked()
    print('said all')
"""
HUMBLE = '- ' + '\n  '.join((
    'history: 3', 'depth: 0', 'reliability: 1', 'durability: 1', 'deadline:', '  sec: 9223372036',
    '  nsec: 854775807', 'lifespan:', '  sec: 2147483647', '  nsec: 4294967295', 'liveliness: 1',
    'liveliness_lease_duration:', '  sec: 9223372036', '  nsec: 854775807',
    'avoid_ros_namespace_conventions: false'))  # as Humble's recorder writes it


def octets(k):
    data = serialize_message(String(data=k * 'ä'))
    return data + bytes(-len(data) & 3)


def padded(data):
    return bytes(data) + bytes(-len(data) & 3)


@pytest.fixture
def program(start, tmp_path):
    path = tmp_path / 'program.py'
    path.write_text(PROGRAM)
    return lambda topic, role: start(sys.executable, path, topic, role)


@pytest.fixture
def bag(tmp_path):
    """Write a bag of two topics with ten messages each, 0.1 s apart."""
    def write(name='bag', storage='mcap', offered=()):
        store = get_typestore(Stores.ROS2_HUMBLE)
        path = tmp_path / name
        with Writer(path, version=8, storage_plugin=StoragePlugin[storage.upper()]) as writer:
            a, b, clock = (writer.add_connection(
                topic, kind, typestore=store, offered_qos_profiles=offered)
                for topic, kind in (('/a', NAME), ('/b', NAME), (
                    '/clock', 'rosgraph_msgs/msg/Clock')))
            for k in range(10):
                for each in (a, b):
                    writer.write(each, 10 ** 9 + k * 10 ** 8, octets(k))
                writer.write(clock, 10 ** 9 + k * 10 ** 8, bytes(12))
        return path
    return write


def stop(recorder, number=signal.SIGINT):
    recorder.signal(number)
    assert recorder.finish() == 0, recorder.text
    assert 'Traceback' not in recorder.text


@pytest.mark.parametrize('storage', bags.STORAGES)
def test_what_is_recorded_is_played_octet_by_octet(ros2, program, together, tmp_path, storage):
    recorder = ros2('bag', 'record', '-s', storage, '-o', 'run', '/words')
    recorder.wait_for('Listening for topics')
    talker = program('/words', 'talker')  # later than the recorder
    recorder.wait_for("Subscribed to topic '/words'")
    recorder.wait_for('Stopping discovery')
    talker.wait_for('said all')
    stop(recorder)
    expected = [octets(k) for k in range(COUNT)]
    with Reader(tmp_path / 'run') as reader:
        (connection,) = reader.connections
        assert (connection.topic, connection.msgtype) == ('/words', NAME)
        assert connection.digest in ('', get_typestore(Stores.ROS2_HUMBLE).hash_rihs01(NAME))
        assert connection.msgdef.data.strip() == 'string data'
        found = list(reader.messages(reader.connections))
    assert [padded(data) for _, _, data in found] == expected
    times = [time for _, time, _ in found]
    assert times == sorted(times)
    assert times[-1] - times[0] > 0.01 * COUNT * 0.9e9  # the talker's pauses, and more under load

    (text,) = together(('bag', 'info', 'run'))
    assert f'Storage id:        {storage}\n' in text
    assert f'Messages:          {COUNT}\n' in text
    assert text.rstrip().endswith(
        f'Topic information: Topic: /words | Type: {NAME} | Count: {COUNT} | '
        'Serialization Format: cdr')
    assert re.search(r'^Duration: +\d+\.\d{3}s$', text, flags=re.MULTILINE)

    listener = program('/words', 'listener')
    listener.wait_for('listens')
    player = ros2('bag', 'play', '-d', '2', 'run')
    assert player.finish() == 0, player.text
    got = listener.wait_for('got (.*)', COUNT)
    assert [padded(bytes.fromhex(line)) for line in got] == expected


def test_latched_topics_stay_latched(ros2, program, together, tmp_path):
    description = program('/robot_description', 'latching')
    recorder = ros2('bag', 'record', '-a', '-x', 'rosout|parameter_events', '-o', 'run')
    recorder.wait_for("Subscribed to topic '/robot_description'")
    nothing = ros2('bag', 'record', '-e', '^/nothing', '-o', 'empty')
    nothing.wait_for('Listening')
    stop(nothing, signal.SIGTERM)
    description.stop()
    stop(recorder)
    with Reader(tmp_path / 'run') as reader:
        (connection,) = reader.connections
        assert connection.msgcount == 1
        assert connection.ext.offered_qos_profiles[0].durability.name == 'TRANSIENT_LOCAL'
    player = ros2('bag', 'play', 'run', '--loop', '--delay', '0.5')
    (text,) = together(('topic', 'echo', '--once', '/robot_description', '--qos-durability',
                        'transient_local', '--qos-reliability', 'reliable'))
    assert '<robot/>' in text
    player.signal(signal.SIGINT)
    assert player.finish() == 0
    (text,) = together(('bag', 'info', 'empty'))
    assert 'Messages:          0\n' in text


def test_played_faster_from_the_middle_one_topic_by_another_name(ros2, program, bag):
    bag()
    heard, other = program('/c', 'listener'), program('/b', 'listener')
    for each in (heard, other):
        each.wait_for('listens')
    clock = ros2('topic', 'echo', '/clock')
    player = ros2('bag', 'play', 'bag', '-d', '2', '-r', '0.5', '--start-offset', '0.45',
                  '--topics', '/a', '--remap', '/a:=/c', '--clock', '100')
    assert player.finish() == 0, player.text
    got = heard.wait_for('got (.*)', 5)
    assert [bytes.fromhex(line) for line in got] == [octets(k) for k in range(5, 10)]
    assert not any('got' in line for line in other.lines)
    ticks = [int(sec) + int(nano) / 1e9 for sec, nano in re.findall(
        r'sec: (\d+)\n +nanosec: (\d+)', clock.text)]
    # from 1.45 to 1.9 s at half speed are 0.9 s with 90 ticks; a busy machine loses some
    assert len(ticks) > 20
    assert ticks == sorted(ticks)
    assert 1.44 < ticks[0] < ticks[-1] < 1.95


def test_loops_until_it_is_interrupted(ros2, program, bag):
    bag(storage='sqlite3')
    listener = program('/a', 'listener')
    listener.wait_for('listens')
    player = ros2('bag', 'play', 'bag', '--loop', '-r', '20')
    listener.wait_for('got', 35)
    player.signal(signal.SIGINT)
    assert player.finish(5.0) == 0
    assert 'Traceback' not in player.text


@pytest.mark.parametrize(('words', 'text'), [
    (('record',), 'Must specify topic'),
    (('record', '-e', '('), 'Invalid regular expression'),
    (('record', '-a', '-o', 'bag'), "Output folder 'bag' already exists."),
    (('record', '-a', '-o', 'bag/metadata.yaml/run'), 'cannot be written'),
    (('play', 'nowhere'), "Bag path 'nowhere' does not exist!"),
    (('play', 'bag', '--topics', '/d', '/a'), "Bag 'bag' has no topic /d"),
    (('play', 'bag', '--remap', '/a'), "Invalid remapping '/a'"),
    (('info', 'program'), 'cannot be read'),
    (('info', 'hollow'), 'cannot be read'),
    (('info', 'garbled'), 'cannot be read'),
    (('info', 'cut'), 'cannot be read'),
    (('info', 'cut3'), 'cannot be read'),
    (('convert',), 'not available in rosless'),
])
def test_errors_take_one_line(ros2, bag, tmp_path, words, text):
    bag()
    (tmp_path / 'program').write_text('')
    (tmp_path / 'hollow').mkdir()
    metadata = bag('garbled') / 'metadata.yaml'
    metadata.write_text('rosbag2_bagfile_information: 5')
    for name, storage in (('cut', 'mcap'), ('cut3', 'sqlite3')):
        (file,) = (path for path in bag(name, storage).iterdir() if path.suffix != '.yaml')
        file.write_bytes(file.read_bytes()[:700])
    command = ros2('bag', *words)
    assert command.finish() == 1, command.text
    assert text in command.text
    assert len(command.lines) == 1, command.text


def test_definitions_are_those_that_others_have():
    store = get_typestore(Stores.ROS2_HUMBLE)
    count = 0
    for package, names in get_message_interfaces().items():
        for name in (f'{package}/{name}' for name in names):
            text = bags.definition(name)
            if name in store.fielddefs:
                count += 1
                assert bags.type_hash(name, text) == store.hash_rihs01(name), name
    assert count > 100
    assert bags.type_hash('example_interfaces/msg/WString', bags.definition(
        'example_interfaces/msg/WString')) == bags.NO_HASH


def test_profiles_as_humble_writes_them():
    (offered,) = parse_qos(HUMBLE)
    profile = bags.profile_to_play([offered, offered])
    assert profile.durability == DurabilityPolicy.TRANSIENT_LOCAL
    assert profile.reliability == ReliabilityPolicy.RELIABLE
    assert profile.depth == bags.DEPTH
    assert profile.deadline.nanoseconds == bags.FOREVER
    assert bags.profile_to_bag(profile).durability == offered.durability
    volatile = Qos(*offered[:3], type(offered.durability).VOLATILE, *offered[4:])
    assert bags.profile_to_play([offered, volatile]) is None
    assert bags.profile_to_play([]).durability == DurabilityPolicy.VOLATILE


@pytest.mark.parametrize('name', bags.DURATIONS)
@pytest.mark.parametrize(('seconds', 'nanoseconds'), [(-1, 0), (0, -1), (-10 ** 20, 5)])
def test_profiles_that_cannot_be_offered(name, seconds, nanoseconds):
    (offered,) = parse_qos(HUMBLE)
    wrong = offered._replace(**{name: QosTime(seconds, nanoseconds)})
    with pytest.raises(ValueError, match=f'{name} is -'):
        bags.profile_to_play([wrong])


def test_a_bag_with_such_a_profile_is_played(ros2, program, bag):
    (offered,) = parse_qos(HUMBLE)
    bag(offered=[offered._replace(deadline=QosTime(-1, 0))])
    listener = program('/a', 'listener')
    listener.wait_for('listens')
    player = ros2('bag', 'play', 'bag', '-d', '2', '--topics', '/a')
    assert player.finish() == 0, player.text
    assert "topic '/a' cannot be offered: deadline is -1000000000 ns" in player.text
    listener.wait_for('got', 10)


@pytest.mark.parametrize('storage', bags.STORAGES)
@pytest.mark.parametrize(('start', 'shown'), [
    (10 ** 29, '1' + 20 * '0' + '.000'), (-10 ** 29, '-1' + 20 * '0' + '.000'),
    (2 ** 63 - 1, None), (-2 ** 63, None), (-1, None), (10 ** 18, None)])
def test_times_that_no_calendar_has(bag, capsys, storage, start, shown):
    path = bag(storage=storage)
    metadata = path / 'metadata.yaml'
    text, count = re.subn(r'(nanoseconds_since_epoch: )\d+', rf'\g<1>{start}',
                          metadata.read_text())
    assert count
    metadata.write_text(text)
    info.main(SimpleNamespace(bag_path=str(path), topic_name=False))
    (line,) = (one for one in capsys.readouterr().out.splitlines() if one.startswith('Start:'))
    assert re.search(r'-?\d+\.\d{3}\)?$', line)
    if shown:
        assert line.split()[1:] == [shown]


def test_metadata_is_of_a_version_that_humble_reads(bag):
    text = (bag(offered=parse_qos(HUMBLE)) / 'metadata.yaml').read_text()
    assert 'version: 8' in text
    assert re.search(r'offered_qos_profiles: "', text)  # text in text, as Humble reads it


def test_times_are_those_of_sending_unless_these_are_far_off():
    second = 10 ** 9
    for sent, received, expected in (
            (7, 7.000001, 7), (7, 9, 7),  # also by a recorder that lags behind
            (5, 7, 7), (8, 7, 7), (7, 60, 60)):  # latched, or by another clock
        times = record.Times(6 * second)
        assert times.when('/a', sent * second, int(received * second)) == expected * second


def test_messages_of_a_topic_stay_in_their_order():
    """Also where one was so late that its time is that of its arrival."""
    times, second = record.Times(0), 10 ** 9
    assert [times.when(topic, sent * second, received * second) for topic, sent, received in (
        ('/a', 1, 20), ('/a', 19, 21), ('/b', 19, 21), ('/a', 21, 22))] == [
        20 * second, 21 * second, 19 * second, 22 * second]


def test_without_rosbags_says_what_to_install(ros2, environment, tmp_path):
    (tmp_path / 'rosbags').mkdir()
    (tmp_path / 'rosbags' / '__init__.py').write_text('raise ImportError("not here")')
    path = f"{Path(tmp_path)}:{environment['PYTHONPATH']}"
    command = ros2('bag', 'record', '-a', env={'PYTHONPATH': path})
    assert command.finish() == 1
    assert command.text == (
        'ros2 bag needs the PyPI package rosbags (not here): pip install rosbags')
