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

"""Run the tools as users do: as processes of their own, each bounded in time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
import json
import os
from pathlib import Path
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest
import rosless  # noqa: F401  makes interface packages importable from the sources too

ROOT = Path(__file__).parents[2]
SOURCES = (str(ROOT / 'src'), str(ROOT / 'tools' / 'src'))
PATIENCE = 60.0  # s: far above what any step takes, so that only a hang exceeds it
SHOW = """#!{python}
import json, sys
files = [open(sys.argv[i + 1]).read() for i, word in enumerate(sys.argv)
         if word == '--params-file']
print(json.dumps(dict(argv=sys.argv[1:], files=files)))
"""


class Warm:
    """Starts commands ``ros2`` as forks of a process that has imported the tools: see warm.py."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._server = subprocess.Popen(
                [sys.executable, str(Path(__file__).with_name('warm.py')), str(theirs.fileno())],
                env=dict(env), pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # not files, as of commands

    def start(self, words: list[str], env: Mapping[str, str], cwd: Path) -> Forked:
        """Start a command."""
        (output, theirs), (status, told) = os.pipe(), os.pipe()
        request = {'words': words, 'env': dict(env), 'cwd': str(cwd)}
        socket.send_fds(self._requests, [json.dumps(request).encode()], [theirs, told])
        os.close(theirs)
        os.close(told)
        return Forked(int(self._requests.recv(20)), output, status)

    def stop(self) -> None:
        """End the process; commands are ended by those who started them."""
        self._requests.close()
        assert self._server.communicate(timeout=PATIENCE)[0] == b''


class Forked:
    """A command ``ros2`` that another process has forked, with what is needed of Popen."""

    def __init__(self, pid: int, output: int, status: int) -> None:
        self.pid = pid
        self.stdout = os.fdopen(output, encoding='utf-8', errors='replace')
        self._status = os.fdopen(status)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end; return the exit status, negative for a signal."""
        if not self._status.closed:
            if not select.select([self._status], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired('ros2', timeout or 0.0)
            with self._status as status:
                self._code = int(status.read())
        return self._code

    def poll(self) -> int | None:
        """Return the exit status, None while there is none."""
        try:
            return self.wait(0.0)
        except subprocess.TimeoutExpired:
            return None

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the process has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End the process at once."""
        self.send_signal(signal.SIGKILL)


class Running:
    """A process whose output is collected while it runs."""

    def __init__(self, words: list[str], env: Mapping[str, str], cwd: Path,
                 warm: Warm | None = None) -> None:
        self.lines: list[str] = []
        self.begin = time.monotonic()
        self.process = warm.start(words, env, cwd) if warm is not None else subprocess.Popen(
            words, env=dict(env), cwd=cwd, text=True, start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors='replace')
        self._grown = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def text(self) -> str:
        """Return what was written so far."""
        return '\n'.join(self.lines)

    @property
    def pid(self) -> int:
        """Process id."""
        return self.process.pid

    def wait_for(self, pattern: str, count: int = 1, patience: float = PATIENCE) -> list[str]:
        """Wait until a pattern was written often enough; return its matches (or groups)."""
        deadline = time.monotonic() + patience
        with self._grown:
            while True:
                found = re.findall(pattern, self.text, flags=re.MULTILINE)
                if len(found) >= count:
                    return found
                rest = deadline - time.monotonic()
                ended = not self._reader.is_alive()
                assert rest > 0 and not ended, (
                    f'{pattern!r} not written, process {"ended" if ended else "runs"}:\n'
                    + self.text)
                self._grown.wait(min(rest, 0.1))

    def wait_for_value(self, pattern: str, low: float, high: float) -> None:
        """Wait until the number that a pattern finds is between two others, once."""
        count, values, end = 0, [], time.monotonic() + PATIENCE
        while not any(low < value < high for value in values):
            assert time.monotonic() < end, f'none of {values} is between {low} and {high}'
            count += 1
            values = [float(value) for value in self.wait_for(pattern, count)]

    def signal(self, number: int) -> None:
        """Send a signal to the process alone."""
        os.kill(self.pid, number)

    def finish(self, patience: float = PATIENCE) -> int:
        """Wait for the end; return the exit status."""
        try:
            status = self.process.wait(patience)
        except subprocess.TimeoutExpired:
            raise AssertionError(f'it runs after {patience} s:\n{self.text}') from None
        self._reader.join(patience)
        return status

    def stop(self) -> None:
        """End the process and its children, whatever they do."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(5.0)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._grown:
                self.lines.append(line.rstrip('\n'))
                self._grown.notify_all()


@pytest.fixture(scope='session')
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return an environment with a DDS domain and a log directory of its own."""
    env = {key: value for key, value in os.environ.items()
           if not key.startswith(('ROS_', 'RCUTILS_', 'AMENT_'))}
    paths = [*SOURCES, *filter(None, [os.environ.get('PYTHONPATH')])]
    env.update(
        PYTHONPATH=os.pathsep.join(paths), PYTHONUNBUFFERED='1',
        ROS_DOMAIN_ID=os.environ.get('TEST_DOMAIN') or str(1 + os.getpid() % 100),
        ROS_LOG_DIR=str(tmp_path_factory.mktemp('log')))
    return env


@pytest.fixture(scope='session')
def running_type() -> type[Running]:
    """Return the class of a process under test, for fixtures that live longer than a test."""
    return Running


@pytest.fixture
def start(
    environment: dict[str, str], tmp_path: Path,
) -> Iterator[Callable[..., Running]]:
    """Start processes that are ended with the test."""
    running: list[Running] = []

    def begin(*words: str | Path, env: Mapping[str, str] | None = None,
              warm: Warm | None = None) -> Running:
        process = Running([str(word) for word in words], {**environment, **(env or {})}, tmp_path,
                          warm)
        running.append(process)
        return process

    yield begin
    for process in reversed(running):
        process.stop()


@pytest.fixture(scope='session')
def warm(environment: dict[str, str]) -> Iterator[Warm]:
    """Return what starts commands ``ros2`` that need not import the tools."""
    server = Warm(environment)
    yield server
    server.stop()


@pytest.fixture
def ros2(start: Callable[..., Running], warm: Warm) -> Callable[..., Running]:
    """Start the command ``ros2``."""
    def begin(*words: str | Path, env: Mapping[str, str] | None = None) -> Running:
        if 'PYTHONPATH' in (env or {}):
            return start(sys.executable, '-m', 'ros2cli', *words, env=env)
        return start(*words, env=env, warm=warm)
    return begin


@pytest.fixture
def together(ros2: Callable[..., Running]) -> Callable[..., list[str]]:
    """Run commands ``ros2`` side by side to their ends; return what each of them wrote."""
    def run(*commands: tuple[str, ...], status: int = 0) -> list[str]:
        running = [ros2(*words) for words in commands]
        for command in running:
            assert command.finish() == status, command.text
        return [command.text for command in running]
    return run


@pytest.fixture
def launch_file(tmp_path: Path) -> Callable[..., Path]:
    """Write a launch file that holds these entities."""
    def write(*entities: str, name: str = 'case.launch.py', before: str = '') -> Path:
        listed = ''.join(f'        {entity},\n' for entity in entities)
        path = tmp_path / name
        path.write_text(
            'import sys\n'
            'from launch import LaunchDescription\n'
            'from launch.actions import *\n'
            'from launch.conditions import *\n'
            'from launch.event_handlers import *\n'
            'from launch.events import Shutdown as ShutdownEvent\n'
            'from launch.launch_description_sources import PythonLaunchDescriptionSource\n'
            'from launch.substitutions import *\n'
            'from launch_ros.actions import *\n'
            'from launch_ros.parameter_descriptions import *\n'
            'from launch_ros.substitutions import *\n'
            'PY = sys.executable\n'
            f'{before}\n'
            'def generate_launch_description():\n'
            f'    return LaunchDescription([\n{listed}    ])\n')
        return path
    return write


@pytest.fixture
def prefix(tmp_path: Path) -> Path:
    """Install a package 'shows' with one program, as colcon does."""
    root = tmp_path / 'install'
    program = root / 'lib' / 'shows' / 'show'
    program.parent.mkdir(parents=True)
    program.write_text(SHOW.format(python=sys.executable))
    program.chmod(0o755)
    marker = root / 'share' / 'ament_index' / 'resource_index' / 'packages' / 'shows'
    marker.parent.mkdir(parents=True)
    marker.touch()
    (root / 'share' / 'shows' / 'config').mkdir(parents=True)
    return root


def is_alive(pid: int) -> bool:
    """Tell whether a process exists and is not a zombie."""
    try:
        status = Path(f'/proc/{pid}/stat').read_text()
    except OSError:
        return False
    return status.rpartition(')')[2].split()[0] != 'Z'


@pytest.fixture
def gone() -> Callable[..., None]:
    """Check that processes disappear within a time [s]; they would not end in a minute."""
    def check(pids: list[int | str], within: float = 30.0) -> None:
        deadline = time.monotonic() + within
        left = [int(pid) for pid in pids]
        while left and time.monotonic() < deadline:
            left = [pid for pid in left if is_alive(pid)]
            time.sleep(0.02)
        assert not left, f'processes left behind: {left}'
    return check
