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

"""Ctrl-C of robots that run: every process ends by itself, none by a signal or an error."""

from __future__ import annotations

from collections import Counter
import contextlib
import os
from pathlib import Path
import signal
import threading

from demo import patient_config
from interrupts import interrupt
from processes import launcher, Running, starting
from score import Score

LATEST = 3.0   # s after the controller tracks, the latest Ctrl-C
AGAIN = 0.5    # s after it, the latest second one
CRASH = ('Fatal Python error', 'Segmentation fault', 'core dumped', 'Traceback')


def press(launched: Running) -> None:
    """Press Ctrl-C, as a terminal does for the whole group."""
    with contextlib.suppress(ProcessLookupError):   # it has just ended
        os.killpg(launched.process.pid, signal.SIGINT)


def run(score: Score) -> None:
    """
    Start the arm and end it while it tracks, the long form 300 times.

    Every node has a fault handler, so a crash in C says where its thread was. Every second time
    Ctrl-C is pressed once more while processes end, as impatient people do. How long an end takes
    is not judged: that is what ``interrupts`` does on a machine of its own.
    """
    codes: Counter[str] = Counter()
    config = patient_config(score.folder)
    environment = {'PYTHONFAULTHANDLER': '1'}
    for turn in range(score.cases(3, int(os.environ.get('ENDS', '300')))):
        delay = score.rng.uniform(0.0, LATEST)
        composed = turn % 3 == 2
        with score.trial(f'end {turn}: Ctrl-C {delay:.2f} s after it tracks'):
            folder = score.folder / f'{turn}'
            folder.mkdir()
            for start in starting(folder):
                launched = launcher(start)(
                    'track.launch.py', 'viewer:=false', 'rviz:=false', f'config:={config}',
                    f'composed:={str(composed).lower()}', environment=environment)
                launched.wait_for(r'\[controller\]: tracking')
                again = threading.Timer(delay + score.rng.uniform(0.0, AGAIN), press, [launched])
                if turn % 2:
                    again.start()
                found = interrupt(launched, delay)
                again.cancel()
                for end in found.ends:
                    codes[f'{end.process.rpartition("-")[0]} {end.code}'] += 1
                wrong = [f'{end.process} ended with {end.code}'
                         for end in found.ends if end.code != 0]
                wrong += [line for line in launched.output.splitlines()
                          if any(word in line for word in CRASH)]
                if wrong:
                    kept = Path(score.folder, f'end_{turn}.txt')
                    kept.write_text(launched.output)
                assert not wrong, f'{"; ".join(wrong)} ({kept})'
    print('\n'.join(f'  {name}: {count}' for name, count in sorted(codes.items())), flush=True)
