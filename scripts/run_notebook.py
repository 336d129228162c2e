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
Runs the notebook of the documentation and keeps its outputs in it: ``make notebook``.

A test compares the fingerprint of its sources with the one that is kept here, so that outputs of
other cells than those that stand there are noticed.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

NOTEBOOK = Path(__file__).resolve().parents[1] / 'docs' / 'tutorials' / 'day.ipynb'


def fingerprint(sources: list[str]) -> str:
    """Return what identifies the sources of the code cells."""
    return hashlib.sha256('\n# %%\n'.join(sources).encode()).hexdigest()


def main() -> None:
    """Run all cells in a kernel of this Python and write the notebook."""
    from nbclient import NotebookClient
    import nbformat

    os.environ['MPLBACKEND'] = 'module://matplotlib_inline.backend_inline'
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(notebook, timeout=600, kernel_name='python3',   # its ports are on loopback
                   resources={'metadata': {'path': NOTEBOOK.parent}}).execute()
    for cell in notebook.cells:
        cell.metadata.pop('execution', None)   # times of the run
    code = [cell.source for cell in notebook.cells if cell.cell_type == 'code']
    notebook.metadata = {
        'kernelspec': {'display_name': 'Python 3', 'language': 'python', 'name': 'python3'},
        'language_info': {'name': 'python'}, 'mbd_ros': {'sources': fingerprint(code)}}
    nbformat.write(notebook, NOTEBOOK)


if __name__ == '__main__':
    main()
