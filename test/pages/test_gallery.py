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

"""The programs of the gallery run and make a picture each, which the page shows."""

import ast
from pathlib import Path
import subprocess
import sys

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((ROOT / 'examples' / 'gallery').glob('*.py'))
LARGEST = 60_000
"""Bytes of a picture that is kept in the repository."""


@pytest.mark.parametrize('script', SCRIPTS, ids=lambda path: path.stem)
def test_a_program_makes_its_picture(script, tmp_path):
    picture = tmp_path / 'picture.png'
    done = subprocess.run([sys.executable, '-W', 'error', str(script), str(picture)], cwd=tmp_path,
                          text=True, capture_output=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, '')
    assert picture.read_bytes().startswith(b'\x89PNG')
    kept = ROOT / 'docs' / 'images' / 'gallery' / f'{script.stem}.png'
    assert max(picture.stat().st_size, kept.stat().st_size) < LARGEST
    assert len(script.read_text().splitlines()) <= 57   # 12 of them the notice of the licence


def test_the_page_shows_every_program():
    page = (ROOT / 'docs' / 'gallery.md').read_text(encoding='utf-8')
    for script in SCRIPTS:
        assert ast.get_docstring(ast.parse(script.read_text())) in page
        assert f'](images/gallery/{script.stem}.png)' in page
    assert page.count('![') == len(SCRIPTS)
