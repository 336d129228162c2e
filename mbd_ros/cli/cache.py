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

"""``mbd_ros cache``: the machine code kept on disk."""

from __future__ import annotations

import argparse

from mbd_ros.cli import warm
from mbd_ros.execution.ir.object_cache import object_cache, VARIABLE

MEGABYTE = 1e6


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the subcommand to its parser."""
    parser.description = (
        'Machine code of robots is kept on disk, so that they are compiled once. '
        f'{VARIABLE} names another folder; empty or "off" keeps nothing.')
    actions = parser.add_subparsers(metavar='ACTION', required=True)
    actions.add_parser('show', help='say where it is and how large').set_defaults(run=show)
    actions.add_parser('clear', help='remove all of it').set_defaults(run=clear)
    warm.add_to(actions)


def show(_: argparse.Namespace) -> int:
    """Print folder, number of files and size."""
    cache = object_cache()
    if cache is None:
        print(f'off ({VARIABLE} is empty or "off", or this user has no home)')
        return 0
    sizes = cache.sizes()
    print(f'folder: {cache.folder}')
    print(f'files:  {len(sizes)}, {sum(sizes) / MEGABYTE:.1f} MB; the oldest go beyond '
          f'{cache.largest / MEGABYTE:.0f} MB')
    if cache.folder.is_dir() and not cache.trusted():
        print('not used: others than you may write there; chmod go-w, or name another folder')
    return 0


def clear(_: argparse.Namespace) -> int:
    """Remove the files and print how many."""
    cache = object_cache()
    removed = 0 if cache is None else cache.clear()
    print(f'{removed} files removed')
    return 0
