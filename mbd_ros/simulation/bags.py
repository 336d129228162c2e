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
Joint states in bags of ROS 2, read and written by the PyPI package ``rosbags``: no ROS is needed.

Written are ``/joint_states`` and, latched, ``/robot_description``, in the version of the format
that Humble and every newer release read.

"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
import contextlib
from pathlib import Path
from statistics import median_low
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from mbd_ros.description.records.finding import Finding
from mbd_ros.errors import (
    DescriptionError, InvalidValueError, MbdError, UnknownNameError, UnsupportedError)
from mbd_ros.model import Model
from mbd_ros.model.names import simple_joints
from mbd_ros.model.state import adding_entries
from mbd_ros.simulation.bag_process import BagTopic, BoundedBag
from mbd_ros.simulation.manifold import Vector

STATES, ROBOT = '/joint_states', '/robot_description'
JOINT_STATE, STRING = 'sensor_msgs/msg/JointState', 'std_msgs/msg/String'
NANO = 10 ** 9
FOREVER = 2 ** 63 - 1
"""[ns]."""
END = 2 ** 31
"""[s]: stamps have 32 bits with a sign for them."""
LARGEST = 2 << 30
"""Bytes that messages of joint states may take, ``STATE`` and what is in it for each."""
STATE = 1024
NOTHING = np.zeros(0)
RARE = 0.1
"""Part of the messages: what fewer have is left out, rather than all messages without it."""


class JointRecording(NamedTuple):
    """
    Joint states of K times.

    Attributes
    ----------
    time : Vector
        (K,) [s], ascending from 0: stamps of the messages, or when they came if they have none.
        To be written: from 0 to less than ``END``.
    names : tuple of str
        Names of the n joints.
    position : Vector
        (K, n) [rad, m].
    velocity, effort : Vector, optional
        (K, n) [rad/s, m/s] and [N m, N]; None if the messages have none.
    robot : str
        The last robot description in the bag, of the namespace of the joint states if there is
        one in it; empty if there is none.
    findings : tuple of Finding
        What was passed over.

    """

    time: Vector
    names: tuple[str, ...]
    position: Vector
    velocity: Vector | None
    effort: Vector | None
    robot: str
    findings: tuple[Finding, ...] = ()


def is_bag(path: Path) -> bool:
    """Tell whether a path names a bag: a folder, or a file of one."""
    return path.is_dir() or path.suffix in ('.mcap', '.db3')


def coordinate_names(model: Model) -> tuple[str, ...]:
    """
    Return what joint states call the coordinates of a model, in the order of q.

    Raises
    ------
    UnsupportedError
        If joints have several coordinates: these are no joint states.

    """
    simple = simple_joints(model)
    if len(simple) < model.nb:
        others = [name for name in model.joint_names if name not in simple]
        raise UnsupportedError(
            f"joint states of robot '{model.name}', whose joints {', '.join(others)} have several "
            'coordinates', 'files *.npz or *.csv, or robots with revolute and prismatic joints')
    return (*simple, *model.elastic_names)


def states_in(recording: JointRecording, model: Model) -> tuple[Vector, Vector, Vector | None]:
    """
    Return q (K, nq), v (K, nv) and efforts (K, nv) of a model from joint states.

    Velocities that were not recorded are differences of positions; efforts are None then.

    Raises
    ------
    UnknownNameError
        If a joint was not recorded.
    UnsupportedError
        If joints have several coordinates.

    """
    wanted = coordinate_names(model)
    missing = [name for name in wanted if name not in recording.names]
    if missing:
        raise UnknownNameError('joint in the recording', missing[0], recording.names)
    places = [recording.names.index(name) for name in wanted]
    into_q, into_v = adding_entries(model)
    q, v, tau = np.empty((len(recording.time), model.nq)), *np.empty(
        (2, len(recording.time), model.nv))
    q[:, into_q] = recording.position[:, places]
    rates = recording.velocity
    if rates is None:
        rates = (np.gradient(recording.position, recording.time, axis=0)
                 if len(q) > 1 else np.zeros_like(recording.position))
    v[:, into_v] = rates[:, places]
    if recording.effort is None:
        return q, v, None
    tau[:, into_v] = recording.effort[:, places]
    return q, v, tau


def write_bag(path: Path, recording: JointRecording) -> None:
    """
    Write joint states and the robot.

    Parameters
    ----------
    path : Path
        ``*.mcap``, a file that is replaced if it is there; or a new folder, with sqlite3 in it.
    recording : JointRecording
        What to write.

    Raises
    ------
    UnsupportedError
        If rosbags is not installed.
    InvalidValueError
        If there is no time, or one that stamps cannot hold.
    MbdError
        If it cannot be written.

    """
    rosbag2, _ = _rosbags()
    wrong = recording.time[~((recording.time >= 0.0) & (recording.time < END))]
    if len(wrong) or not len(recording.time):
        raise InvalidValueError('time', float(wrong[0]) if len(wrong) else 'empty',
                                f'states at times from 0 to less than {END} [s]')
    try:
        if path.suffix != '.mcap':
            _write(rosbag2.Writer(path, version=8), recording)
            return
        with TemporaryDirectory(dir=path.parent) as folder:
            inside = Path(folder, path.stem)
            _write(rosbag2.Writer(inside, version=8, storage_plugin=rosbag2.StoragePlugin.MCAP),
                   recording)
            (inside / path.name).replace(path)
    except OSError as error:
        raise MbdError(f'{path} cannot be written: {error.strerror}') from None
    except rosbag2.WriterError as error:
        raise MbdError(f'{path} cannot be written: {error}') from None


def _write(writer: Any, recording: JointRecording) -> None:
    from rosbags.interfaces import (
        Qos, QosDurability, QosHistory, QosLiveliness, QosReliability, QosTime)

    store = _rosbags()[1]
    forever = QosTime(*divmod(FOREVER, NANO))

    def topic(name: str, kind: str, depth: int, durability: Any) -> Any:
        return writer.add_connection(name, kind, typestore=store, offered_qos_profiles=[Qos(
            QosHistory.KEEP_LAST, depth, QosReliability.RELIABLE, durability, forever, forever,
            QosLiveliness.AUTOMATIC, forever, False)])

    joint_state, header, stamp, string = (store.types[name] for name in (
        JOINT_STATE, 'std_msgs/msg/Header', 'builtin_interfaces/msg/Time', STRING))
    times = [round(NANO * time) for time in recording.time.tolist()]
    with writer:
        states = topic(STATES, JOINT_STATE, 10, QosDurability.VOLATILE)
        if recording.robot:
            robot = topic(ROBOT, STRING, 1, QosDurability.TRANSIENT_LOCAL)
            writer.write(robot, times[0],
                         store.serialize_cdr(string(recording.robot), STRING))
        for k, time in enumerate(times):
            values = (NOTHING if one is None else np.ascontiguousarray(one[k]) for one in (
                recording.position, recording.velocity, recording.effort))
            message = joint_state(header(stamp(*divmod(time, NANO)), ''), list(recording.names),
                                  *values)
            writer.write(states, time, store.serialize_cdr(message, JOINT_STATE))


def read_bag(path: Path, topic: str | None = None) -> JointRecording:
    """
    Read joint states, and the robot if it is there.

    Parameters
    ----------
    path : Path
        A folder with ``metadata.yaml`` or with one file, or one file ``*.mcap`` or ``*.db3``.
    topic : str, optional
        Name of the topic; if left out the only one of joint states, or ``/joint_states``, or else
        the only one with a robot description in its namespace.

    Returns
    -------
    JointRecording
        Of the joints that the first message names; messages of others are passed over, those
        without velocities or efforts where others have them, and those that are not later than
        the ones before. ``findings`` count them.

    Raises
    ------
    UnsupportedError
        If rosbags is not installed.
    DescriptionError
        If it is no bag, or has no joint states.

    """
    _, store = _rosbags()
    with _opened(path) as reader:
        source = _connections(reader, path, topic)
        robots = [each for each in reader.connections
                  if each.msgtype == STRING and each.topic.endswith(ROBOT)]
        beside = source[0].topic.rpartition('/')[0] + ROBOT
        robots = [each for each in robots if each.topic == beside] or robots
        described = [b'']
        for _, _, data in reader.messages(robots):
            described[0] = data
        robot = str(store.deserialize_cdr(described[0], STRING).data) if described[0] else ''
        messages: list[_State] = []
        names: tuple[str, ...] = ()
        size = 0
        for each, received, data in reader.messages(source):
            message = store.deserialize_cdr(data, each.msgtype)
            if not messages:
                names = tuple(message.name)
                if len(set(names)) < len(names):
                    raise DescriptionError('the first message names a joint twice',
                                           file=str(path))
                places = {name: k for k, name in enumerate(names)}
            messages.append(_state(message, received, places))
            size += STATE + (len(data) if messages[-1].order is not None else 0)
            if size > LARGEST:
                raise DescriptionError(
                    f'joint states take more than {LARGEST >> 20} MiB, {len(messages)} messages '
                    'so far; allowed: less, by a shorter recording', file=str(path))
    if not messages:
        raise DescriptionError('there are no messages of joint states', file=str(path))
    return _recording(messages, names, robot, path)


class _State(NamedTuple):
    """
    A message: stamp and time of arrival [ns], where each joint stands in it, and its values.

    ``order`` is None if it names other joints than the first, and its values are left out then.
    """

    stamp: int
    received: int
    order: list[int] | None
    position: Vector
    velocity: Vector
    effort: Vector


def _state(message: Any, received: int, places: Mapping[str, int]) -> _State:
    """Return what is kept of a message; its names would take most of the memory."""
    stamp = message.header.stamp.sec * NANO + message.header.stamp.nanosec
    found = {name: k for k, name in enumerate(message.name)}
    if len(message.name) != len(places) or found.keys() != places.keys():
        return _State(stamp, received, None, NOTHING, NOTHING, NOTHING)
    return _State(stamp, received, [found[name] for name in places], message.position,
                  message.velocity, message.effort)


def _recording(messages: Sequence[_State], names: tuple[str, ...], robot: str, path: Path
               ) -> JointRecording:
    """Return what messages hold."""
    fields, findings = _fields([one for one in messages if one.order is not None])
    times: list[int] = []
    rows: dict[str, list[Vector]] = {field: [] for field in fields}
    passed: Counter[str] = Counter()
    for time, message in zip(_times(messages), messages):
        values = {field: getattr(message, field) for field in fields}
        if message.order is None:
            passed['they name other joints than the first'] += 1
        elif missing := [field for field in fields if not len(values[field])]:
            passed[f'they have no {missing[0]}'] += 1
        elif times and time <= times[-1]:
            passed['they are not later than those before'] += 1
        else:
            times.append(time)
            for field, one in values.items():
                if len(one) != len(names):
                    raise DescriptionError(f'a message of {len(names)} joints has {len(one)} '
                                           f'values of {field}', file=str(path))
                rows[field].append(one[message.order])
    findings += [f'{count} of {len(messages)} messages passed over because {reason}'
                 for reason, count in passed.items()]
    if not times:
        raise DescriptionError('; '.join(findings), file=str(path))
    found = {field: np.array(kept) for field, kept in rows.items()}
    if not all(np.isfinite(values).all() for values in found.values()):
        raise DescriptionError('joint states are not finite', file=str(path))
    return JointRecording(
        (np.array(times) - times[0]) / NANO, names, found['position'], found.get('velocity'),
        found.get('effort'), robot,
        tuple(Finding('warning', text, str(path)) for text in findings))


def _fields(messages: Sequence[_State]) -> tuple[list[str], list[str]]:
    """Return the fields that are read, and what is said of those that few messages have."""
    fields, said = ['position'], []
    for field in ('velocity', 'effort'):
        count = sum(len(getattr(message, field)) > 0 for message in messages)
        if count > RARE * len(messages):
            fields.append(field)
        elif count:
            said.append(f'{field} left out: only {count} of {len(messages)} messages have it')
    return fields, said


def _times(messages: Sequence[_State]) -> list[int]:
    """
    Return the times of messages [ns]: their stamps, or when they came where the stamp is zero.

    Zero is a time itself where stamps are nearer to zero than to the times of arrival: simulated.

    """
    lags = [(one.received - one.stamp, one.stamp) for one in messages if one.stamp]
    lag = median_low(one for one, _ in lags) if lags else 0
    simulated = bool(lags) and abs(lag) > median_low(stamp for _, stamp in lags)
    return [one.stamp if one.stamp or simulated else one.received - lag for one in messages]


def _connections(reader: BoundedBag, path: Path, topic: str | None) -> list[BagTopic]:
    """Return the connections of the topic of joint states."""
    states = [each for each in reader.connections if each.msgtype == JOINT_STATE]
    names = sorted({each.topic for each in states})
    if topic is None and not names:
        raise DescriptionError(f'there is no topic of {JOINT_STATE} in this bag', file=str(path))
    described = {each.topic.removesuffix(ROBOT) for each in reader.connections
                 if each.msgtype == STRING and each.topic.endswith(ROBOT)}
    beside = [name for name in names if name.rpartition('/')[0] in described]
    usual = next((few[0] for few in (names, beside) if len(few) == 1), STATES)
    wanted = topic or (STATES if STATES in names else usual)
    if wanted not in names:
        raise InvalidValueError('topic', topic or 'not given',
                                f"one of {', '.join(names) or 'none'}")
    return [each for each in states if each.topic == wanted]


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[BoundedBag]:
    """Open a bag; what is wrong with it comes as an error of this package."""
    try:
        with BoundedBag(_file_of(path)) as reader:
            yield reader
    except MbdError:
        raise
    except Exception as error:   # of messages, too: whatever octets may hold
        text = ' '.join(str(error).split()) or type(error).__name__
        raise DescriptionError(f'this is no readable bag: {text}', file=str(path)) from None


def _file_of(path: Path) -> Path:
    """Return the one file of a folder that was left without metadata, else the path itself."""
    if not path.is_dir() or (path / 'metadata.yaml').exists():
        return path
    files = sorted(one for one in path.iterdir() if one.suffix in ('.db3', '.mcap'))
    if len(files) > 1:
        raise DescriptionError(
            f"a folder without metadata.yaml, with {len(files)} files such as '{files[0].name}': "
            'name one of them, or write metadata.yaml with `ros2 bag reindex`', file=str(path))
    return files[0] if files else path


def _rosbags() -> tuple[Any, Any]:
    """Return the module for bags and the messages that it knows."""
    try:
        from rosbags import rosbag2
        from rosbags.typesys import get_typestore, Stores
    except ImportError:
        raise UnsupportedError('a bag without rosbags',
                               "install it with 'pip install rosbags'") from None
    return rosbag2, get_typestore(Stores.ROS2_HUMBLE)
