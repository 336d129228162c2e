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

"""The node ``view_frames``: draw the tree of frames."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
import shutil
import subprocess
import sys
import time
from typing import Any

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.utilities import remove_ros_args
from tf2_ros.buffer import Buffer
from tf2_ros.transform_listener import TransformListener
import yaml

LABELS = {'broadcaster': 'Broadcaster', 'rate': 'Average rate', 'buffer_length': 'Buffer length',
          'most_recent_transform': 'Most recent transform', 'oldest_transform': 'Oldest transform'}


def main(args: Sequence[str] | None = None) -> int:
    """Listen for some seconds, print the frames, and write a drawing of them."""
    argv = list(sys.argv if args is None else args)
    parser = argparse.ArgumentParser(
        prog='view_frames',
        description='Create a diagram of the TF frames being broadcast over ROS')
    parser.add_argument('--wait-time', '-t', type=float, default=5.0,
                        help='Listen to the /tf topic for this many seconds before rendering the '
                        'frame tree')
    parser.add_argument('-o', '--output', help='Output filename')
    words = parser.parse_args(remove_ros_args(argv)[1:])
    rclpy.init(args=argv)
    try:
        return _view(words.wait_time, words.output)
    except (KeyboardInterrupt, ExternalShutdownException):
        return 1
    finally:
        rclpy.try_shutdown()


def drawing(frames: Mapping[str, Mapping[str, Any]], now: float) -> str:
    """
    Return the tree of frames in the language of Graphviz.

    Parameters
    ----------
    frames : mapping
        What ``Buffer.all_frames_as_yaml`` says, read.
    now : float
        Time of the drawing [s].

    """
    if not frames:
        return 'digraph G { "No tf data received" }\n'
    lines = ['digraph G {']
    for name, facts in frames.items():
        label = ''.join(f'{title}: {facts[key]}\\n' for key, title in LABELS.items())
        lines.append(f'"{facts["parent"]}" -> "{name}"[label=" {label}"];')
    parents = [facts['parent'] for facts in frames.values()]
    root = next((name for name in parents if name not in frames), parents[0])  # none: a ring
    return '\n'.join([
        *lines, 'edge [style=invis];',
        ' subgraph cluster_legend { style=bold; color=black; label ="view_frames Result";',
        f'"Recorded at time: {now}"[ shape=plaintext ] ;', f'}}->"{root}";', '}', ''])


def _view(wait_time: float, output: str | None) -> int:
    node = rclpy.create_node('view_frames')
    buffer = Buffer(node=node)
    listener = TransformListener(buffer, node)
    logger = node.get_logger()
    logger.info(f'Listening to tf data for {wait_time} seconds...')
    end = time.monotonic() + wait_time
    while time.monotonic() < end:
        rclpy.spin_once(node, timeout_sec=0.1)
    logger.info('Generating graph...')
    text = buffer.all_frames_as_yaml()
    logger.info(f'Result:\n{text}')
    name = output or time.strftime('frames_%Y-%m-%d_%H.%M.%S')
    with open(f'{name}.gv', 'w', encoding='utf-8') as file:
        file.write(drawing(yaml.safe_load(text) or {}, node.get_clock().now().nanoseconds * 1e-9))
    listener.unregister()
    if shutil.which('dot') is None:
        logger.warning(f'{name}.gv is written; for {name}.pdf, install Graphviz: there is no '
                       "program 'dot'")
        return 0
    logger.info(f'Exporting graph in {name}.pdf file...')
    return subprocess.call(['dot', '-Tpdf', f'{name}.gv', '-o', f'{name}.pdf'])


if __name__ == '__main__':
    sys.exit(main())
