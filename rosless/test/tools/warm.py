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
Run commands ``ros2`` in processes that have imported the tools already: forks of this one.

Importing takes most of the time of a short command. Requests come over a socket, one message
each: JSON with the words, the environment and the working directory, and two descriptors, for the
output and for the exit status; the answer is the process id. Nothing else is shared, and nothing
that has threads or talks DDS is started here.

"""

import gc
import importlib
import json
import os
import pkgutil
import selectors
import socket
import sys

from ros2cli import command
from ros2cli.cli import main as ros2

LARGEST_REQUEST = 1 << 18  # octet


def become_command(request: dict, output: int) -> None:
    """Give this process the words, the surroundings and the output that were asked for."""
    os.setsid()
    os.environ.clear()
    os.environ.update(request['env'])
    os.chdir(request['cwd'])
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)
    sys.argv = ['ros2', *request['words']]


def serve(requests: socket.socket) -> bool:
    """Fork for each request; return True in a fork, False when there are no more requests."""
    watched = selectors.DefaultSelector()
    watched.register(requests, selectors.EVENT_READ)
    while True:
        for key, _ in watched.select():
            if key.data is not None:  # a command has ended
                pid, status = key.data
                watched.unregister(key.fd)
                os.close(key.fd)
                code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                os.write(status, f'{code}'.encode())
                os.close(status)
                continue
            data, descriptors, *_ = socket.recv_fds(requests, LARGEST_REQUEST, 2)
            if not data:
                return False
            output, status = descriptors
            pid = os.fork()
            if pid == 0:
                watched.close()
                requests.close()
                os.close(status)
                become_command(json.loads(data), output)
                return True
            os.close(output)
            watched.register(os.pidfd_open(pid), selectors.EVENT_READ, (pid, status))
            requests.send(f'{pid}'.encode())


for module in pkgutil.walk_packages(command.__path__, f'{command.__name__}.'):
    importlib.import_module(module.name)
for name in ('launch_ros', 'rclpy', 'rclpy.action', 'launch.frontend.parser'):
    importlib.import_module(name)
gc.freeze()
if serve(socket.socket(fileno=int(sys.argv[1]))):
    sys.exit(ros2())
