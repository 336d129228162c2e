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

"""``ros2 bag info``."""

from __future__ import annotations

import argparse
import datetime

from ros2cli import bags

INDENT = ' ' * 19
UNITS = ('B', 'KiB', 'MiB', 'GiB', 'TiB')


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument('bag_path', help='Bag to open')
    parser.add_argument('-s', '--storage', choices=bags.STORAGES,
                        help='Storage implementation of bag. By default attempts to detect '
                        'automatically - use this argument to override.')
    parser.add_argument('-t', '--topic-name', action='store_true',
                        help='Only display topic names.')


def main(args: argparse.Namespace) -> None:
    """Print what a bag holds."""
    with bags.opened(args.bag_path) as reader:
        connections = sorted(reader.connections, key=lambda each: str(each.topic))
        if args.topic_name:
            print('\n'.join(bags.plain(each.topic) for each in connections))
        else:
            print(description(reader, connections))


def description(reader: bags.BoundedBag, connections: list[bags.BagTopic]) -> str:
    """Return what is printed of an open bag."""
    files = [reader.path] if reader.path.is_file() else [reader.path / name
                                                         for name in reader.files]
    empty = not reader.message_count
    start, end = (0, 0) if empty else (reader.start_time, reader.end_time - 1)
    size = sum(file.stat().st_size for file in files)
    topics = [f'Topic: {bags.plain(each.topic)} | Type: {bags.plain(each.msgtype)} | '
              f'Count: {each.msgcount} | Serialization Format: '
              f'{bags.plain(each.serialization_format)}' for each in connections]
    names = [bags.plain(file.name) for file in files]
    rows = {
        'Files': f'\n{INDENT}'.join(names), 'Bag size': _size(size),
        'Storage id': reader.storage, 'Duration': f'{_seconds(end - start)}s',
        'Start': _time(start), 'End': _time(end), 'Messages': str(reader.message_count),
        'Topic information': f'\n{INDENT}'.join(topics)}
    return '\n' + '\n'.join(f"{name + ':':<19}{text}" for name, text in rows.items()) + '\n'


def _size(count: float) -> str:
    index = 0
    while count >= 1024 and index < len(UNITS) - 1:
        count, index = count / 1024, index + 1
    return f'{count:.{1 if index else 0}f} {UNITS[index]}'


def _seconds(time: int) -> str:
    return f"{'-' * (time < 0)}{abs(time) // bags.NANO}.{abs(time) % bags.NANO // 10 ** 6:03}"


def _time(time: int) -> str:
    try:
        local = datetime.datetime.fromtimestamp(time // bags.NANO)
    except (OverflowError, ValueError, OSError):  # in no year that the calendar has
        return _seconds(time)
    fraction = f'{time % bags.NANO // 10 ** 6:03}'
    return f'{local:%b} {local.day:>2} {local:%Y %H:%M:%S}.{fraction} ({_seconds(time)})'
