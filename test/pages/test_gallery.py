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
    assert len(script.read_text().splitlines()) <= 45


def test_the_page_shows_every_program():
    page = (ROOT / 'docs' / 'gallery.md').read_text(encoding='utf-8')
    for script in SCRIPTS:
        assert ast.get_docstring(ast.parse(script.read_text())) in page
        assert f'](images/gallery/{script.stem}.png)' in page
    assert page.count('![') == len(SCRIPTS)
