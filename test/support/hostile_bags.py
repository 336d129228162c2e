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

"""Bags that do harm: cases by name, each a function that writes one into a folder."""

from __future__ import annotations

from collections.abc import Callable
import os
from pathlib import Path
import random
import sqlite3
import struct
import sys
from types import SimpleNamespace

from lz4.frame import LZ4FrameCompressor
from rosbags import rosbag2
from rosbags.typesys import get_typestore, Stores

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

STATE, STRING = 'sensor_msgs/msg/JointState', 'std_msgs/msg/String'
UNPACKED = 1 << 30
"""Bytes that bombs unpack to: more than a reader may take."""
BLOCK = bytes(64 << 20)
MAGIC = b'\x89MCAP0\r\n'
ROBOT = ('<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>'
         '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
         '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>')

CASES: dict[str, Callable[[Path], Path]] = {}


def case(write: Callable[[Path], Path]) -> Callable[[Path], Path]:
    """Add a case."""
    CASES[write.__name__] = write
    return write


def cases(name: str, write: Callable[..., Path], *values: object) -> None:
    """Add a case for each value."""
    for k, value in enumerate(values):
        CASES[f'{name}_{k}'] = lambda folder, value=value: write(folder, value)


def cdr(message: str, **fields: object) -> bytes:
    """Return the octets of a message."""
    store = get_typestore(Stores.ROS2_HUMBLE)
    return bytes(store.serialize_cdr(store.types[message](**fields), message))


def state(second: int = 1, names: object = ('j',), **values: object) -> bytes:
    """Return joint states at a second."""
    import numpy as np

    store = get_typestore(Stores.ROS2_HUMBLE)
    time = store.types['builtin_interfaces/msg/Time'](second, 0)
    found = {field: np.array(values.get(field, [1.0] * len(names)), np.float64)
             for field in ('position', 'velocity', 'effort')}
    return cdr(STATE, header=store.types['std_msgs/msg/Header'](time, ''), name=list(names),
               **found)


def bag(folder: Path, storage: str = 'mcap', messages: tuple[bytes, ...] | None = None,
        robot: str = ROBOT, topic: str = '/joint_states', kind: str = STATE) -> Path:
    """Write a bag in order."""
    path = folder / 'bag'
    store = get_typestore(Stores.ROS2_HUMBLE)
    with rosbag2.Writer(path, version=8,
                        storage_plugin=rosbag2.StoragePlugin[storage.upper()]) as writer:
        states = writer.add_connection(topic, kind, typestore=store) if kind == STATE else (
            writer.add_connection(topic, kind, msgdef='string data', rihs01='RIHS01_' + 64 * '0'))
        writer.write(writer.add_connection('/robot_description', STRING, typestore=store), 1,
                     cdr(STRING, data=robot))
        for k, data in enumerate(messages or [state(k) for k in range(1, 20)]):
            writer.write(states, 1 + k * 10 ** 7, data)
    return path


def sqlite(folder: Path, *statements: str) -> Path:
    """Write a bag, and then change its database; the folder has no metadata.yaml."""
    path = bag(folder, 'sqlite3')
    (path / 'metadata.yaml').unlink()
    file = path / 'bag.db3'
    database = sqlite3.connect(file)
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()
    return path


def metadata(folder: Path, change: Callable[[str], str] | str, storage: str = 'mcap') -> Path:
    """Write a bag with another metadata.yaml."""
    file = bag(folder, storage) / 'metadata.yaml'
    file.write_text(change if isinstance(change, str) else change(file.read_text()))
    return file.parent


def text(value: str | bytes) -> bytes:
    """Return a text as MCAP has it."""
    data = value.encode() if isinstance(value, str) else value
    return struct.pack('<I', len(data)) + data


def record(kind: int, content: bytes, size: int | None = None) -> bytes:
    """Return a record of MCAP, its size as it is or another one."""
    return struct.pack('<BQ', kind, len(content) if size is None else size) + content


def schema(number: int = 1, name: str = STATE, form: str = 'ros2msg') -> bytes:
    """Return the record of a type."""
    return record(3, struct.pack('<H', number) + text(name) + text(form) + text('string data'))


def channel(number: int = 1, topic: str | bytes = '/joint_states', profiles: str = '',
            size: int | None = None) -> bytes:
    """Return the record of a topic."""
    about = text('offered_qos_profiles') + text(profiles) if profiles else b''
    return record(4, struct.pack('<HH', number, 1) + text(topic) + text('cdr') + text(about),
                  size)


def message(data: bytes, number: int = 1, time: int = 1, size: int | None = None) -> bytes:
    """Return the record of a message."""
    return record(5, struct.pack('<HIQQ', number, 0, time, time) + data, size)


def chunk(data: bytes, form: str, size: int, begin: int = 0, end: int = 2 ** 62) -> bytes:
    """Return the record of a chunk."""
    return record(6, struct.pack('<QQQI', begin, end, size, 0) + text(form)
                  + struct.pack('<Q', len(data)) + data)


def mcap(folder: Path, *records: bytes, summary: int = 0, profile: str = 'ros2') -> Path:
    """Write one file without an index, or with records of an index from an offset on."""
    path = folder / 'bag.mcap'
    path.write_bytes(MAGIC + record(1, text(profile) + text('')) + b''.join(records)
                     + record(2, struct.pack('<QQI', summary, 0, 0)) + MAGIC)
    return path


def zstd_bomb(size: int = UNPACKED) -> bytes:
    """Return zeros as frames, which one call unpacks at once."""
    return zstd.compress(BLOCK) * (size // len(BLOCK))


def lz4_bomb() -> bytes:
    """Return zeros as one frame."""
    packer = LZ4FrameCompressor()
    parts = [packer.begin()]
    parts += [packer.compress(BLOCK) for _ in range(UNPACKED // len(BLOCK))]
    return b''.join((*parts, packer.flush()))


HEAD = schema() + channel()
cases('zstd_chunk', lambda folder, size: mcap(
    folder, HEAD, chunk(zstd_bomb(), 'zstd', size)), UNPACKED, 100, 2 ** 64 - 1)
cases('lz4_chunk', lambda folder, size: mcap(
    folder, HEAD, chunk(lz4_bomb(), 'lz4', size)), UNPACKED)
cases('chunk', lambda folder, form: mcap(
    folder, HEAD, chunk(message(state()), form, len(message(state())))), '', 'none', 'zip\x1b[2J')


@case
def many_chunks_at_once(folder):
    """All of them have messages of the same time, so that a reader holds all of them."""
    big = zstd.compress(schema() + channel() + message(state()) + message(BLOCK) * 3)
    size = len(schema() + channel() + message(state())) + 3 * len(message(BLOCK))
    return mcap(folder, HEAD, *[chunk(big, 'zstd', size, 0, 2 ** 62)] * 40)


@case
def packed_messages(folder):
    path = metadata(folder, lambda yaml: yaml.replace("compression_format: ''", (
        'compression_format: zstd')).replace("compression_mode: ''", 'compression_mode: message'),
        'sqlite3')
    database = sqlite3.connect(path / 'bag.db3')
    database.execute('UPDATE messages SET data = ?', (zstd_bomb(),))
    database.commit()
    database.close()
    return path


@case
def packed_file(folder):
    path = metadata(folder, lambda yaml: yaml.replace("compression_format: ''", (
        'compression_format: zstd')).replace("compression_mode: ''", 'compression_mode: file'))
    (path / 'bag.mcap').write_bytes(zstd_bomb())
    return path


@case
def a_column_of_a_gigabyte(folder):
    return sqlite(folder, 'ALTER TABLE messages RENAME TO old', 'CREATE TABLE messages(id INTEGER '
                  'PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, data BLOB GENERATED ALWAYS '
                  'AS (zeroblob(900000000)) VIRTUAL)', 'INSERT INTO messages(id, topic_id, '
                  'timestamp) SELECT id, topic_id, timestamp FROM old')


@case
def a_column_without_end(folder):
    """Make the expression long afterwards, for to insert a row computes it."""
    return sqlite(folder, 'ALTER TABLE messages RENAME TO old', 'CREATE TABLE messages(id INTEGER '
                  'PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, data BLOB GENERATED ALWAYS '
                  "AS (instr(zeroblob(9), zeroblob(4) || x'01')) VIRTUAL)",
                  'INSERT INTO messages(id, topic_id, timestamp) SELECT id, topic_id, timestamp '
                  'FROM old', 'PRAGMA writable_schema = ON', 'UPDATE sqlite_master SET sql = '
                  "replace(replace(sql, 'b(9)', 'b(20000000)'), 'b(4)', 'b(10000000)')")


cases('sqlite', lambda folder, statement: sqlite(folder, statement),
      "UPDATE messages SET timestamp = 'now'", 'UPDATE messages SET timestamp = 9e999',
      'UPDATE messages SET timestamp = -9223372036854775808',
      'UPDATE messages SET timestamp = 9223372036854775807', "UPDATE messages SET data = 'text'",
      'UPDATE messages SET data = 5', "UPDATE messages SET data = x''",
      "UPDATE topics SET name = x'ff'", "UPDATE topics SET name = ''",
      'UPDATE topics SET type = 5', "UPDATE topics SET offered_qos_profiles = '[1, 2]'",
      "UPDATE topics SET offered_qos_profiles = '" + '[' * 5000 + "'",
      "UPDATE message_definitions SET encoding = 'none'", 'UPDATE schema SET schema_version = -1',
      'DELETE FROM schema', 'DROP TABLE topics', 'DROP INDEX timestamp_idx',
      'INSERT INTO topics WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n '
      "LIMIT 20000) SELECT value + 100, '/t' || value, 'a/msg/B', 'cdr', '', '' FROM n",
      'UPDATE messages SET timestamp = id * 100000000000000000')
LAUGHS = 'a0: &a0 [x, x]\n' + ''.join(
    f'a{k}: &a{k} [{", ".join([f"*a{k - 1}"] * 9)}]\n' for k in range(1, 12))
cases('metadata', metadata, '', '5', '[' * 100_000, LAUGHS, 'rosbag2_bagfile_information: *none',
      'rosbag2_bagfile_information: &a\n  version: 8\n  relative_file_paths: *a\n',
      '!!python/object/apply:os.system ["false"]\n', '\0', 'a: ' + 'x' * (5 << 20),
      lambda yaml: yaml.replace('bag.mcap', '../../etc/passwd'),
      lambda yaml: yaml.replace('bag.mcap', 'other.mcap'),
      lambda yaml: yaml.replace('storage_identifier: mcap', 'storage_identifier: sqlite3'),
      lambda yaml: yaml.replace('message_count: ', 'message_count: -'),
      lambda yaml: yaml.replace('message_count: ', 'message_count: 9' + '9' * 30),
      lambda yaml: yaml.replace('message_count: ', 'message_count: .nan #'),
      lambda yaml: yaml.replace('nanoseconds_since_epoch: ', 'nanoseconds_since_epoch: 9' * 1
                                + '9' * 25),
      lambda yaml: yaml.replace('nanoseconds_since_epoch: ', 'nanoseconds_since_epoch: -'
                                + '9' * 40),
      lambda yaml: yaml.replace('name: /joint_states', f'name: {LAUGHS.splitlines()[0][4:]}'))
cases('mcap', lambda folder, records: mcap(folder, *records), [], [HEAD], [b'\x05'],
      [b'\xff' * 50],
      [record(3, b'', 2 ** 63)], [record(3, b'', 2 ** 64 - 1)], [channel(size=2 ** 40)],
      [HEAD, message(state(), size=3)], [HEAD, message(b'')], [HEAD, message(state(), number=9)],
      [HEAD, message(state(), time=2 ** 64 - 1)], [HEAD, message(state(), time=2 ** 63)],
      [HEAD, message(state(2), time=9), message(state(1), time=3)],
      [schema(form='protobuf'), channel()], [schema(name='?'), channel()],
      [schema(), channel(topic=b'\xff\xfe')], [schema(), channel(profiles=LAUGHS)],
      [schema(), channel(profiles='- history: 1')], [schema(), channel(profiles='[' * 20_000)],
      [schema(), channel(profiles='- &a [*a]')],
      [schema(k) + channel(k, f'/t{k}') for k in range(1, 12_000)],
      [HEAD, record(6, b'\0' * 40)], [HEAD, record(6, b'\0' * 28 + b'\xff' * 12)])
cases('summary', lambda folder, where: mcap(folder, HEAD, message(state()), summary=where),
      8, 25, 10 ** 6, 2 ** 64 - 1)
INDEX = struct.pack('<QQQQ', 0, 2 ** 62, 0, 2 ** 63) + text(b'') + struct.pack('<Q', 0)
cases('index', lambda folder, records: mcap(
    folder, HEAD, schema(), channel(), *records, summary=25 + len(HEAD)),
    [record(8, INDEX + text('zstd') + struct.pack('<QQ', 2 ** 62, 2 ** 62))],
    [record(8, INDEX + text('') + struct.pack('<QQ', 10, 10))],
    [record(11, struct.pack('<QHIIIIQQ', 2 ** 64 - 1, 1, 1, 0, 0, 0, 5, 1) + text(b''))],
    [record(11, b'')])


def sequences(folder, count):
    """Write joint states whose first sequence has another number of entries."""
    head = b'\0\1\0\0' + struct.pack('<iIII', 1, 0, 1, 0)
    return bag(folder, messages=(head + struct.pack('<I', count) + bytes(40),))


cases('sequences', sequences, 1, 8, 9, 100, 2 ** 31, 2 ** 32 - 1)
cases('octets', lambda folder, data: bag(folder, messages=(data,)), b'', b'\0', b'\0\1\0\0',
      b'\0\0\0\0' + bytes(60), b'\xff' * 64, state()[:-3], state() + bytes(100),
      state().replace(b'j\0', b'\xff\0'), bytes(20 << 20))
cases('states', lambda folder, messages: bag(folder, messages=tuple(messages)),
      [state(k, position=[value]) for k, value in ((1, 1.0), (2, float('nan')))],
      [state(k, position=[value]) for k, value in ((1, 1.0), (2, float('inf')))],
      [state(1), state(2, ['j', 'j'])], [state(1, ['j', 'j']), state(2, ['j', 'j'])],
      [state(1, ['j', 'k']), state(2, ['j', 'j', 'k'], position=[1, 2])],
      [state(1), state(2, [])], [state(1, [])], [state(1, position=[1, 2, 3])],
      [state(1, [f'{k}' for k in range(20_000)])] * 3,
      [state(1), state(-2 ** 31), state(2 ** 31 - 1)], [state(0), state(2 ** 31 - 1)],
      [state(1, ['\x1b[2J']), state(2, ['\x1b[2J'])])
cases('topics', lambda folder, topic: mcap(
    folder, schema(), channel(topic=topic), message(state())),
    '', '/', 'no slash', '//a', '/a b', '/\x1b[2J', '/' + 'a' * (1 << 20), '/..', '/1', '~/a',
    '/{node}', '/joint_states\n')
cases('types', lambda folder, kind: mcap(
    folder, schema(name=kind), channel(topic='/a'), message(state())),
    '', 'antigravity/msg/Fly', 'os/path/join', 'os/msg/System', '../msg/../A', 'a/b/c/d',
    'std_msgs/msg/__init__', 'std_msgs/srv/String', 'std_msgs/msg/\x1b[2J', 'std_msgs/msg/' + 'A'
    * (1 << 20), 'rcl_interfaces/srv/GetParameters')
cases('robots', lambda folder, robot: bag(folder, robot=robot),
      '', '<robot', '<!DOCTYPE a [<!ENTITY b "c">]><robot>&b;</robot>', 'x' * (20 << 20),
      ROBOT.replace('name="j"', 'name="other"'), '/etc/passwd', 'file:///etc/passwd',
      ROBOT.replace('</robot>', '<xacro:include filename="/etc/passwd"/></robot>'))


@case
def a_pipe(folder):
    path = bag(folder)
    (path / 'bag.mcap').unlink()
    os.mkfifo(path / 'bag.mcap')
    return path


@case
def a_device(folder):
    path = bag(folder)
    (path / 'bag.mcap').unlink()
    (path / 'bag.mcap').symlink_to('/dev/zero')
    return path


@case
def a_loop_of_links(folder):
    path = bag(folder)
    (path / 'bag.mcap').unlink()
    (path / 'bag.mcap').symlink_to('bag.mcap')
    return path


def mutated(folder: Path, seed: int) -> Path:
    """Write a bag and change octets of it: a number, a run of them, or the end."""
    chance = random.Random(seed)
    path = bag(folder, chance.choice(('mcap', 'sqlite3')))
    if chance.random() < 0.5:
        (path / 'metadata.yaml').unlink()
        (file,) = path.iterdir()
    else:
        file = chance.choice(sorted(path.iterdir()))
    data = bytearray(file.read_bytes())
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(data))
        run = chance.choice((
            b'\xff' * 8, bytes(8), struct.pack('<Q', 2 ** 63), struct.pack('<I', 2 ** 31 - 1),
            chance.randbytes(chance.randint(1, 40))))
        data[place:place + len(run)] = run
    if chance.random() < 0.3:
        del data[chance.randrange(len(data)):]
    file.write_bytes(data)
    return path


PLAY = SimpleNamespace(topics=[], remap=[], clock=1000.0, delay=0.0, rate=1e9, loop=False,
                       start_offset=0.0, topic_name=False)
"""Arguments of ``ros2 bag play`` and ``info``."""
