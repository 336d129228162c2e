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
Bags of rosbag2, read by a process of their own with bounds on its memory, time and files.

A bag comes from others. A chunk of some octets unpacks to gigabytes, a column of a database may be
computed by an expression without end, a table in YAML may refer to itself. The PyPI package
``rosbags`` reads all of it, in a process that the operating system stops at its bounds
(`MEMORY`, `SECONDS`, `TEMPORARY`); what it finds comes through a pipe, checked and bounded again.

This one file belongs to two distributions, ``mbd_ros`` (there it is a symbolic link) and
``rosless-tools``, and needs nothing of either.

"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
import contextlib
import json
import os
from pathlib import Path
import resource
import signal
import struct
import subprocess
import sys
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, NamedTuple

MEMORY = 2 << 30
"""Bytes of memory of the process: chunks of the largest usual bags have some megabytes."""
SECONDS = 30.0
"""Of computing before the first message and between two."""
TEMPORARY = 256 << 20
"""Bytes of what is unpacked to a file, besides 50 times the size of the bag."""
MESSAGE = 256 << 20
"""Bytes of a message."""
TOPICS = 10_000
"""Topics of a bag."""
HEADER = 16 << 20
"""Bytes of all that is said of them."""
SUFFIXES = {'.db3': 'sqlite3', '.mcap': 'mcap'}
BEGIN = ("import runpy, sys; sys.path.remove('') if '' in sys.path else None; "
         "runpy.run_path(sys.argv[1], run_name='__main__')")
"""What the process runs: nothing is imported from the folder in which it was begun."""
FRAME = struct.Struct('<ci16sI')
"""Kind, topic, time [ns] and size of what follows."""
FOUND, WRONG, END = b'm', b'e', b'z'


class BagError(Exception):
    """A bag that cannot be read, and why, on one line."""


class BagTopic(NamedTuple):
    """
    A topic of a bag.

    Attributes
    ----------
    id : int
        Its place in the list of topics.
    topic, msgtype, serialization_format : str
        Its name, the type of its messages, and their form.
    msgcount : int
        As the bag says.
    offered_qos_profiles : tuple of rosbags.interfaces.Qos
        Of those who published.

    """

    id: int
    topic: str
    msgtype: str
    serialization_format: str
    msgcount: int
    offered_qos_profiles: tuple[Any, ...]


class BoundedBag:
    """
    An open bag, to be used in a ``with`` statement.

    Parameters
    ----------
    path : Path
        A folder with ``metadata.yaml``, or one file ``*.mcap`` or ``*.db3``.

    Attributes
    ----------
    connections : list of BagTopic
        The topics.
    start_time, end_time : int
        Of the first message, and after the last one [ns], as the bag says: any whole numbers.
    message_count : int
        As the bag says.
    files : list of str
        Names of the files with messages.
    storage : str
        Their format.

    Raises
    ------
    BagError
        If it cannot be read.

    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.connections: list[BagTopic] = []
        self.start_time = self.end_time = self.message_count = 0
        self.files: list[str] = []
        self.storage = ''
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: TemporaryDirectory[str] | None = None

    def __enter__(self) -> BoundedBag:
        """Read what topics there are."""
        try:
            header = self._begin()
            from rosbags.interfaces import (
                Qos, QosDurability, QosHistory, QosLiveliness, QosReliability, QosTime)

            self.start_time, self.end_time, self.message_count = header['times']
            self.files, self.storage = header['files'], header['storage']
            for k, (topic, kind, form, count, offered) in enumerate(header['topics']):
                self.connections.append(BagTopic(k, topic, kind, form, count, tuple(
                    Qos(QosHistory(history), depth, QosReliability(reliable),
                        QosDurability(durable), QosTime(*deadline), QosTime(*lifespan),
                        QosLiveliness(lively), QosTime(*lease), plain)
                    for (history, depth, reliable, durable, deadline, lifespan, lively, lease,
                         plain) in offered)))
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """End the process."""
        self.close()

    def close(self) -> None:
        """End the process, and remove what it wrote."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    if stream is not None:
                        stream.close()
        folder, self._folder = self._folder, None
        if folder is not None:
            folder.cleanup()

    def messages(self, connections: Sequence[BagTopic], start: int | None = None
                 ) -> Iterator[tuple[BagTopic, int, bytes]]:
        """
        Yield topic, time [ns] and octets of messages, in the order of time.

        Parameters
        ----------
        connections : sequence of BagTopic
            Of these topics; of none if there are none.
        start : int, optional
            From this time on [ns].

        Raises
        ------
        BagError
            If the bag is damaged, or beyond the bounds.

        """
        if not connections:
            return
        if self._process is None:
            self._begin()
        assert self._process is not None and self._process.stdin is not None
        done = False
        try:
            with contextlib.suppress(BrokenPipeError):   # its end is told by what is read
                self._process.stdin.write(json.dumps(
                    {'ids': [one.id for one in connections], 'start': start}).encode() + b'\n')
                self._process.stdin.flush()
            while True:
                kind, place, time, data = self._read()
                if kind == END:
                    done = True
                    return
                yield self.connections[place], time, data
        finally:
            if not done:
                self.close()

    def _begin(self) -> Any:
        """Start the process, and return what it says of the bag."""
        self._folder = TemporaryDirectory(prefix='bag_')
        self._process = subprocess.Popen(
            [sys.executable, '-c', BEGIN, __file__, str(self.path), str(MEMORY), str(SECONDS)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={**os.environ, 'TMPDIR': self._folder.name, 'SQLITE_TMPDIR': self._folder.name,
                 'OPENBLAS_NUM_THREADS': '1'})
        return json.loads(self._read()[3])

    def _read(self) -> tuple[bytes, int, int, bytes]:
        """Return the next frame: kind, topic, time [ns], octets."""
        assert self._process is not None and self._process.stdout is not None
        head = self._process.stdout.read(FRAME.size)
        if len(head) == FRAME.size:
            kind, place, time, size = FRAME.unpack(head)
            data = self._process.stdout.read(size) if size <= max(MESSAGE, HEADER) else b''
            if len(data) == size:
                if kind == WRONG:
                    raise BagError(data.decode(errors='replace'))
                return kind, place, int.from_bytes(time, 'little', signed=True), data
        code = self._process.wait()
        if code == -signal.SIGPROF:
            raise BagError(f'to read it, or a message of it, takes more than {SECONDS:g} s of '
                           'computing')
        raise BagError(f'the process that reads it ended with {code}')


def _bounded(path: Path, memory: int) -> None:
    """Bound the memory of this process, and the files that it writes."""
    size = sum(file.stat().st_size for file in _files(path))
    wanted = [(resource.RLIMIT_FSIZE, TEMPORARY + 50 * size), (resource.RLIMIT_CORE, 0)]
    if sys.platform == 'linux':   # elsewhere this limit is refused, or counts other things
        wanted.append((resource.RLIMIT_AS, memory))
    for kind, most in wanted:
        hard = resource.getrlimit(kind)[1]
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard),
                                  hard))


def _files(path: Path) -> Iterator[Path]:
    """Yield the files of a bag; a pipe or a device may never end or begin."""
    for file in (sorted(path.iterdir()) if path.is_dir() else (path,)):
        if not file.is_dir():
            if file.exists() and not file.is_file():
                raise BagError(f'{file.name} is not a regular file')
            if file.exists():
                yield file


def _whole(value: Any) -> int:
    """Return a whole number; a database and YAML have any value anywhere."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise BagError(f'{type(value).__name__} where there should be a whole number')
    if value.bit_length() > 126:
        raise BagError('a number of more than 126 bits')
    return value


def _text(value: Any) -> str:
    """Return a text that can be written."""
    if not isinstance(value, str):
        raise BagError(f'{type(value).__name__} where there should be a text')
    return value.encode(errors='replace').decode()


def _topic(connection: Any) -> tuple[Any, ...]:
    """Return what is said of a topic."""
    offered = []
    for one in connection.ext.offered_qos_profiles:
        times = [(_whole(each.sec), _whole(each.nsec)) for each in (
            one.deadline, one.lifespan, one.liveliness_lease_duration)]
        offered.append((one.history.value, _whole(one.depth), one.reliability.value,
                        one.durability.value, times[0], times[1], one.liveliness.value, times[2],
                        bool(one.avoid_ros_namespace_conventions)))
    return (_text(connection.topic), _text(connection.msgtype),
            _text(connection.ext.serialization_format), _whole(connection.msgcount), offered)


def _storage(path: Path) -> tuple[list[str], str]:
    """Return the names of the files with messages, and their format."""
    if path.is_file():
        return [path.name], SUFFIXES.get(path.suffix, '')
    import yaml

    content = yaml.safe_load((path / 'metadata.yaml').read_text())['rosbag2_bagfile_information']
    return ([Path(_text(name)).name for name in content['relative_file_paths']],
            _text(content['storage_identifier']))


def _serve(path: Path, seconds: float, requests: BinaryIO, out: BinaryIO) -> None:
    """
    Say what topics there are, then answer requests for messages.

    At the end of the time to the next message the operating system ends the process.
    """
    from rosbags.rosbag2 import Reader

    def tell(kind: bytes, data: bytes = b'', place: int = 0, time: int = 0) -> None:
        out.write(FRAME.pack(kind, place, time.to_bytes(16, 'little', signed=True), len(data)))
        out.write(data)

    with Reader(path) as reader:
        connections = list(reader.connections)
        if len(connections) > TOPICS:
            raise BagError(f'there are {len(connections)} topics; allowed: {TOPICS}')
        files, storage = _storage(path)
        header = json.dumps({
            'files': files, 'storage': storage,
            'times': [_whole(one) for one in (
                reader.start_time, reader.end_time, reader.message_count)],
            'topics': [_topic(one) for one in connections]}).encode()
        if len(header) > HEADER:
            raise BagError(f'names and profiles of topics have more than {HEADER} bytes')
        tell(FOUND, header)
        out.flush()
        places = {id(one): k for k, one in enumerate(connections)}
        while line := requests.readline():
            request = json.loads(line)
            signal.setitimer(signal.ITIMER_PROF, seconds)
            for connection, time, data in reader.messages(
                    [connections[k] for k in request['ids']], start=request['start']):
                if not isinstance(data, (bytes, memoryview)):
                    raise BagError(f'a message is {type(data).__name__}, not octets')
                if len(data) > MESSAGE:
                    raise BagError(f'a message has {len(data)} bytes; allowed: {MESSAGE}')
                tell(FOUND, bytes(data), places[id(connection)], _whole(time))
                signal.setitimer(signal.ITIMER_PROF, seconds)
            tell(END)
            out.flush()


def main() -> None:
    """Read the bag that is named, for the process that began this one."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    memory, seconds = int(sys.argv[3]), float(sys.argv[4])
    signal.setitimer(signal.ITIMER_PROF, seconds)
    out = os.fdopen(os.dup(1), 'wb')
    os.dup2(2, 1)   # whatever is printed is no answer
    path = Path(sys.argv[2])
    try:
        _bounded(path, memory)
        _serve(path, seconds, sys.stdin.buffer, out)
    except BaseException as error:   # of YAML, SQLite, struct: whatever a file may hold
        text = ' '.join(str(error).split()) or type(error).__name__
        # lz4 and SQLite have words of their own.
        if isinstance(error, MemoryError) or text in ('Failed to resize buffer', 'out of memory'):
            text = f'to read it takes more than {memory >> 20} MiB of memory'
        data = text[:2000].encode(errors='replace')
        out.write(FRAME.pack(WRONG, 0, bytes(16), len(data)) + data)
    out.flush()


if __name__ == '__main__':
    main()
