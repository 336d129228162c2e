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
A first start: ``make demo`` in a fresh clone, to the first picture of its page.

    python test/platforms/first_start.py FOLDER [--python PYTHON] [--root ROOT] [--cyclone SOURCES]

Clones this repository (what is committed) into FOLDER, runs there what the README says, looks at
the page in a headless browser, ends all by Ctrl-C, and writes the transcript, each line with the
seconds since the start, and the picture. With ``--root`` this runs within that root
(``scripts/debian_root.sh``), FOLDER being a path in it; with ``--cyclone`` the DDS library is
built first, as ``make cyclone CYCLONE=SOURCES`` does. Exit code 1 if there is no picture.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
import re
import shlex
import signal
import subprocess
import sys
import threading
import time

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 300.0
"""Longest time from the address of a page to its canvas [s]; a browser without a GPU is slow."""
ADDRESS = re.compile(r'http://[\d.]+:\d+|file://\S+')
DRAWN = 15.0
"""From the canvas of the page to the robot, meshes included, drawn by software [s]."""


class Transcript:
    """What was typed and answered, with times."""

    def __init__(self, file: Path) -> None:
        self._begin = time.monotonic()
        self._file = file.open('w', encoding='utf-8')

    def write(self, line: str) -> None:
        """Add a line."""
        line = f'{time.monotonic() - self._begin:6.1f}  {line.rstrip()}'
        print(line, flush=True)
        self._file.write(line + '\n')
        self._file.flush()


def picture(address: str, file: Path) -> None:
    """Write what a browser shows of a page."""
    sys.path.append(str(ROOT / 'test' / 'support'))
    from headless_browser import Browser
    browser = Browser(address, (1200, 800))
    try:
        end = time.monotonic() + PATIENCE
        while not browser.evaluate('!!document.querySelector("canvas")'):
            if time.monotonic() > end:
                raise TimeoutError(f'no canvas at {address}')
            time.sleep(0.5)
        time.sleep(DRAWN)
        browser.screenshot(file)
    finally:
        browser.close()


def run(words: list[str], shown: str, told: Transcript, shot: Path | None = None,
        root: str = '') -> int:
    """Run a command; at the first address of a page write a picture, then send Ctrl-C."""
    told.write(f'$ {shown}')
    looking: list[threading.Thread] = []

    def look(address: str) -> None:
        assert shot is not None
        picture(address.replace('file://', f'file://{root}'), shot)
        told.write('(picture taken)')
        if process.poll() is None:
            told.write('^C')
            os.killpg(process.pid, signal.SIGINT)   # as a terminal does

    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, start_new_session=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            told.write(line)
            address = ADDRESS.search(line)
            if shot is not None and address is not None and not looking:
                looking.append(threading.Thread(target=look, args=(address[0],)))
                looking[0].start()
    for one in looking:
        one.join()
    told.write(f'(exit code {process.returncode})')
    return process.returncode


def main() -> int:
    """Clone, run, look."""
    parser = argparse.ArgumentParser(description='make demo in a fresh clone, with a transcript.')
    parser.add_argument('folder', type=Path)
    parser.add_argument('--python', default='python3')
    parser.add_argument('--root', default='', help='of another system, to run in')
    parser.add_argument('--cyclone', help='C sources of the DDS library, to be built first')
    parser.add_argument('--log', type=Path, default=ROOT / 'build' / 'first_start',
                        help='where transcript and picture go')
    arguments = parser.parse_args()
    arguments.log.mkdir(parents=True, exist_ok=True)
    shot = arguments.log / 'picture.png'
    shot.unlink(missing_ok=True)
    folder = arguments.folder.absolute()
    subprocess.run(['git', 'clone', '--quiet', str(ROOT), f'{arguments.root}{folder}'], check=True)
    inside = [str(ROOT / 'scripts' / 'in_root.sh'), arguments.root] if arguments.root else []
    told = Transcript(arguments.log / 'transcript.txt')

    def make(*words: str, shot: Path | None = None) -> int:
        python = [] if arguments.python == 'python3' else [f'PYTHON={arguments.python}']
        shown = ' '.join(['make', *words, *python])
        return run([*inside, 'sh', '-c', f'cd {shlex.quote(str(folder))} && exec {shown}'],
                   shown, told, shot, arguments.root)

    if arguments.cyclone:
        make('cyclone', f'CYCLONE={arguments.cyclone}')
    # Make ends by the signal, as programs do that a terminal interrupts.
    good = make('demo', shot=shot) in (0, -signal.SIGINT, 128 + signal.SIGINT)
    return 0 if good and shot.exists() else 1


if __name__ == '__main__':
    sys.path.append(str(ROOT / 'test' / 'support'))
    from domains import reserve_domain
    lock = reserve_domain()   # held until this process ends
    sys.exit(main())
