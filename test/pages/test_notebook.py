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

"""The notebook runs from its first cell to its last, and its outputs are those of its cells."""

import ast
import json
import os
from pathlib import Path
import subprocess
import sys

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'scripts'))

from run_notebook import fingerprint  # noqa: E402

NOTEBOOK = ROOT / 'docs' / 'tutorials' / 'day.ipynb'
NOTEBOOK_DATA = json.loads(NOTEBOOK.read_text(encoding='utf-8'))
CELLS = NOTEBOOK_DATA['cells']
CODE = [''.join(cell['source']) for cell in CELLS if cell['cell_type'] == 'code']

RUN = """
import json, sys
cells = json.load(sys.stdin)
names = {}
for number, cell in enumerate(cells):
    exec(compile(cell, f'code cell {number}', 'exec'), names)
"""
"""What a kernel does with cells, as far as these need one."""


def test_all_cells_run_one_after_the_other(tmp_path):
    done = subprocess.run(
        [sys.executable, '-W', 'error', '-W', 'ignore:FigureCanvasAgg', '-c', RUN], cwd=tmp_path,
        input=json.dumps(CODE), text=True, capture_output=True, timeout=300, check=False,
        env={**os.environ, 'MPLBACKEND': 'agg'})
    assert (done.returncode, done.stderr) == (0, '')
    assert '6 joints' in done.stdout or 'puma560' in done.stdout   # print(model)


def test_its_outputs_are_those_of_its_cells():
    """``make notebook`` renews them."""
    assert NOTEBOOK_DATA['metadata']['mbd_ros']['sources'] == fingerprint(CODE)
    outputs = [output for cell in CELLS for output in cell.get('outputs', [])]
    assert not [output for output in outputs if output['output_type'] == 'error']
    assert sum('image/png' in output.get('data', ()) for output in outputs) >= 4
    assert NOTEBOOK.stat().st_size < 500_000   # what a page of a repository shows at once


def test_its_cells_are_short():
    assert len(CODE) > 10
    for cell in CELLS:
        assert len(cell['source']) <= 22, cell['source'][0]
        assert len(cell['id']) > 1
    for code in CODE:
        ast.parse(code)
        assert max(map(len, code.splitlines())) <= 99
