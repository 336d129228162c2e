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
Nodes of this Python: ``one`` answers a service call; ``page`` is the demo with its page.

    python test/platforms/node.py one|page

One line; exit code 1 if something is missing, an error is logged or an end is not clean. Only
processes that it has started are signalled, in a DDS domain of its own, on this machine.
"""

from __future__ import annotations

import os
from pathlib import Path
import re
import signal
import subprocess
import sys
import threading
import time
from urllib.request import urlopen

BIN = Path(sys.executable).parent
PATIENCE = float(os.environ.get('PLATFORM_PATIENCE', '120'))
"""Longest time until a page is served or a call is answered [s]; under qemu all is slow."""
ERROR = re.compile(r'\[(ERROR|FATAL)\]|Traceback|died')
ADDRESS = re.compile(r'http://[\d.]+:\d+')
CALL = ('service', 'call', '/dynamics_server/inverse_dynamics', 'mbd_msgs/srv/InverseDynamics',
        '{joint_names: [joint1, joint2, joint3], points: [{positions: [0.1, 0.2, 0.3]}]}')


class Launch:
    """A launch, what it says, and its end."""

    def __init__(self, *words: str) -> None:
        self.said: list[str] = []
        self._process = subprocess.Popen(
            [str(BIN / 'ros2'), 'launch', 'mbd_ros', *words], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, start_new_session=True)
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        self.said.extend(iter(self._process.stdout.readline, ''))   # ends with the launch

    def wait_for(self, pattern: re.Pattern[str]) -> str:
        """Return the first match in a line, or an empty text if there is none in time."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self._process.poll() is None:
            for line in list(self.said):
                match = pattern.search(line)
                if match:
                    return match[0]
            time.sleep(0.1)
        return ''

    def end(self) -> int:
        """Send Ctrl-C; return the exit code."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        try:
            code = self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        self._reader.join()
        return code


def one() -> tuple[bool, str, Launch]:
    """Ask the dynamics server for efforts."""
    launch = Launch('dynamics_server.launch.py', 'robot:=three_link_arm')
    answer = ''
    try:
        answer = subprocess.run([str(BIN / 'ros2'), *CALL], check=False, capture_output=True,
                                text=True, timeout=PATIENCE).stdout
    except subprocess.TimeoutExpired:
        pass
    good = 'success=True' in answer
    return good, 'a call answered' if good else f'no good answer ({answer!r})', launch


def page() -> tuple[bool, str, Launch]:
    """Start the demo and read its page."""
    launch = Launch('track.launch.py')   # the first free port from 8080 on
    address = launch.wait_for(ADDRESS)
    if not address:
        return False, 'no page', launch
    with urlopen(address, timeout=PATIENCE) as answer:
        size = len(answer.read())
    time.sleep(5.0)   # errors of a robot that moves
    return size > 10_000, f'a page of {size} bytes', launch


def main(kind: str) -> int:
    """Run, and tell."""
    begin = time.monotonic()
    good, what, launch = {'one': one, 'page': page}[kind]()
    seconds = time.monotonic() - begin
    code = launch.end()
    errors = [line for line in launch.said if ERROR.search(line)]
    print(f'{what} after {seconds:.0f} s, {len(errors)} errors, exit code {code}')
    if errors or code or not good:
        print(''.join(launch.said[-60:]))
    return 0 if good and not errors and code == 0 else 1


if __name__ == '__main__':
    sys.path.append(str(Path(__file__).resolve().parents[1] / 'support'))
    from domains import reserve_domain
    lock = reserve_domain()   # held until this process ends
    sys.exit(main(sys.argv[1]))
