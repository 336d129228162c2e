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

"""Random descriptions, task texts, messages and parameters, each in a process of its own."""

from __future__ import annotations

import json
from pathlib import Path
import subprocess
import sys

from score import Score

SUPPORT = Path(__file__).resolve().parents[1] / 'support'
FUZZERS = ('descriptions', 'tasks', 'messages', 'parameters')
LONGEST = 1800.0   # s for one fuzzer
CALL = """
import importlib, json, sys
sys.path.insert(0, {folder!r})
tried, failures = importlib.import_module({name!r}).run({cases}, {seed})
print('\\n' + json.dumps([tried, [str(one) for one in failures]]))
"""


def run(score: Score) -> None:
    """Run every fuzzer; one that crashes or hangs is a failure."""
    for name in FUZZERS:
        with score.trial(f'fuzz_{name} runs to its end'):
            seed = score.rng.randrange(2**31)
            cases = score.cases(60, 10_000)
            try:
                ended = subprocess.run(
                    [sys.executable, '-c', CALL.format(
                        folder=str(SUPPORT), name=f'fuzz_{name}', cases=cases, seed=seed)],
                    capture_output=True, text=True, timeout=LONGEST, check=False)
            finally:
                print(f'  fuzz_{name}: {cases} cases, seed {seed}', flush=True)
            assert ended.returncode == 0, f'exit code {ended.returncode}: {ended.stderr[-300:]}'
            tried, failures = json.loads(ended.stdout.splitlines()[-1])
            score.count(tried, failures)
            assert tried >= cases, f'{tried} of {cases} cases were tried'
