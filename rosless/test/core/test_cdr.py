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

"""The encoding: octet by octet that of rosbags, and deaf to malformed data."""

from __future__ import annotations

from collections.abc import Iterator
import gc
import random
from typing import Any

from example_interfaces.msg import WString
from geometry_msgs.msg import Pose, PoseArray
import numpy as np
import pytest
from rosless import interfaces
from rosless.graph.entities import decode, encode, NodeEntities
from rosless.idl.codec import deserialize, LARGE, serialize
from rosless.idl.definition import FieldType, FLOATS, INTEGER_LIMITS
from rosless.idl.errors import DeserializationError
from rosless.idl.resolve import interface_class
from sensor_msgs.msg import JointState
from std_msgs.msg import Empty, String

ALL = [
    f'{package}/{name}'
    for package in interfaces.bundled_package_names()
    for name in interfaces.interface_names(package, 'msg')
]


def everything() -> Iterator[Any]:
    """Yield every class that has a deserialiser, also those inside services and actions."""
    for package in interfaces.bundled_package_names():
        for name in interfaces.interface_names(package):
            cls = interface_class(f'{package}/{name}')
            if name.startswith('msg/'):
                yield cls
                continue
            impl = getattr(cls, 'Impl', None)
            parts = (cls,) if impl is None else (impl.SendGoalService, impl.GetResultService)
            for part in parts:
                yield from (part.Request, part.Response)
            if impl is not None:
                yield from (cls.Goal, cls.Result, cls.Feedback, impl.FeedbackMessage)


def random_value(kind: FieldType, rng: random.Random) -> Any:
    """Return a random value for a field."""

    def one() -> Any:
        if kind.is_message:
            return random_message(interface_class(kind.base), rng)
        if kind.base in INTEGER_LIMITS:
            return rng.randint(*INTEGER_LIMITS[kind.base])
        if kind.base in FLOATS:
            return float(np.float32(rng.uniform(-1e3, 1e3)))
        if kind.base == 'bool':
            return rng.random() < 0.5
        if kind.base == 'byte':
            return bytes([rng.randrange(256)])
        return ''.join(rng.choice('abcäß€ \n') for _ in range(rng.randrange(9)))

    if kind.kind == 'scalar':
        return one()
    count = kind.size if kind.kind == 'array' else rng.randrange(1 + min(kind.size or 3, 3))
    return [one() for _ in range(count or 0)]


def random_message(cls: Any, rng: random.Random) -> Any:
    """Return a message with random fields."""
    return cls(**{f.name: random_value(f.type, rng) for f in cls._definition.fields})


def as_rosbags(message: Any, store: Any) -> Any:
    """Return the message as an object of rosbags."""
    definition = message._definition
    values = {} if definition.fields else {'structure_needs_at_least_one_member': 0}
    for field in definition.fields:
        value, kind = getattr(message, field.name), field.type
        if kind.is_message:
            several = kind.kind != 'scalar'
            value = [as_rosbags(v, store) for v in value] if several else as_rosbags(value, store)
        elif kind.base == 'byte':
            octets = np.frombuffer(b''.join(value) if kind.kind != 'scalar' else value, np.int8)
            value = octets if kind.kind != 'scalar' else int(octets[0])
        elif kind.kind != 'scalar' and kind.base not in ('string', 'wstring'):
            value = np.array(value, dtype='uint8' if kind.base == 'char' else kind.base)
        values[field.name] = value
    return store.types[definition.name](**values)


@pytest.mark.parametrize('name', ALL)
def test_round_trip(name: str) -> None:
    rng = random.Random(name)
    cls = interface_class(name)
    for _ in range(4):
        message = random_message(cls, rng)
        data = bytes(serialize(message))
        assert len(data) % 4 == 0
        assert deserialize(data, cls) == message


def test_same_octets_as_rosbags() -> None:
    # Imported here and not skipped: without its oracle the codec would be tested by itself alone.
    from rosbags import typesys

    store = typesys.get_typestore(typesys.Stores.ROS2_HUMBLE)
    rng = random.Random(7)
    compared = 0
    for name in ALL:
        if name not in store.fielddefs:
            continue
        for _ in range(3):
            message = random_message(interface_class(name), rng)
            reference = bytes(store.serialize_cdr(as_rosbags(message, store), name))
            assert bytes(serialize(message)) == reference + bytes(-len(reference) % 4), name
            compared += 1
    assert compared > 300


def test_wide_strings_take_four_octets_a_unit() -> None:
    data = bytes(serialize(WString(data='aé')))
    assert data == b'\0\1\0\0' + b'\2\0\0\0' + b'a\0\0\0' + b'\xe9\0\0\0'
    assert deserialize(data, WString).data == 'aé'
    surrogates = serialize(WString(data='\N{GRINNING FACE}'))
    assert surrogates[4] == 2
    assert deserialize(bytes(surrogates), WString).data == '\N{GRINNING FACE}'


def test_an_empty_message_has_one_octet() -> None:
    assert bytes(serialize(Empty())) == b'\0\1\0\0' + b'\0' * 4


def test_empty_sequences_are_not_padded() -> None:
    # JointState with empty names: the count of `position` is at 28, that of `velocity` at 32
    data = bytes(serialize(JointState()))
    assert len(data) == 4 + 8 + 4 + 4 + 4 * 4


def test_behind_the_header_of_a_call() -> None:
    data = bytes(serialize(String(data='x'), bytes(16)))
    assert deserialize(data, String, 20) == String(data='x')


@pytest.mark.parametrize(
    'data',
    [
        b'',
        b'\0\1\0\0',
        b'\0\1\0\0\xff\xff\xff\xff',
        b'\0\1\0\0\x05\0\0\0ab',
        b'\0\3\0\0' + bytes(8),
        b'\0\0\0\0' + bytes(8),
    ],
)
def test_malformed_octets_are_refused(data: bytes) -> None:
    with pytest.raises(DeserializationError, match=r'std_msgs\.msg\.String'):
        deserialize(data, String)


def test_huge_counts_do_not_take_memory() -> None:
    data = bytearray(serialize(PoseArray()))
    data[-4:] = b'\xff\xff\xff\x7f'
    with pytest.raises(DeserializationError, match='sequence longer than the data'):
        deserialize(bytes(data), PoseArray)


def test_random_octets_never_do_anything_else() -> None:
    rng = random.Random(11)
    classes = list(everything())
    assert len(classes) > 300
    for cls in classes:
        valid = bytes(serialize(random_message(cls, rng)))
        samples = [b'\0\1\0\0' + rng.randbytes(rng.randrange(120)) for _ in range(12)]
        for _ in range(12):
            spoiled = bytearray(valid)
            spoiled[rng.randrange(len(valid))] = rng.randrange(256)
            samples.append(bytes(spoiled))
        for data in samples:
            try:
                assert isinstance(deserialize(data, cls), cls)
            except DeserializationError:
                pass


def test_random_octets_on_the_node_graph_are_refused_or_understood() -> None:
    rng = random.Random(13)
    valid = encode(bytes(16), [NodeEntities('talker', '/ns', [bytes(16)], [bytes(16)] * 2)])
    for _ in range(2000):
        spoiled = bytearray(valid)
        spoiled[rng.randrange(4, len(valid))] = rng.randrange(256)
        for data in (b'\0\1\0\0' + rng.randbytes(rng.randrange(120)), bytes(spoiled)):
            try:
                decode(data)
            except ValueError:
                pass


def test_cut_messages_never_do_anything_else() -> None:
    rng = random.Random(12)
    for name in ALL:
        cls = interface_class(name)
        data = bytes(serialize(random_message(cls, rng)))
        for cut in range(4, len(data), max(1, len(data) // 20)):
            try:
                deserialize(data[:cut], cls)
            except DeserializationError:
                pass


def test_other_buffers_than_bytes() -> None:
    message = JointState(name=['a', 'b'], position=[1.0, 2.0])
    data = serialize(message)
    for buffer in (bytes(data), data, memoryview(data), np.frombuffer(data, np.uint8)):
        assert deserialize(buffer, JointState) == message  # type: ignore[arg-type]


@pytest.mark.parametrize('collecting', [True, False])
def test_large_messages_leave_the_collection_of_garbage_as_it_was(collecting: bool) -> None:
    message = PoseArray(poses=[Pose()] * (1 + LARGE // 56))  # a pose has 56 octets
    data = bytes(serialize(message))
    was = gc.isenabled()
    (gc.enable if collecting else gc.disable)()
    try:
        assert deserialize(data, PoseArray) == message
        assert gc.isenabled() == collecting
        with pytest.raises(DeserializationError):
            deserialize(data[:-8], PoseArray)
        assert gc.isenabled() == collecting
    finally:
        (gc.enable if was else gc.disable)()
