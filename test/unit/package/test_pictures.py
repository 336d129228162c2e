"""The pictures of docs/page.md: all are shown, and small."""

from pathlib import Path
import re

DOCS = Path(__file__).resolve().parents[3] / 'docs'
LARGEST, TOGETHER = 60_000, 1_000_000   # bytes: a page that loads at once


def test_each_picture_of_a_control_is_on_the_page_and_small():
    files = {f'images/page/{file.name}': file.stat().st_size
             for file in (DOCS / 'images' / 'page').iterdir()}
    shown = re.findall(r'!\[[^\]]+\]\((images/page/[^)]+)\)', (DOCS / 'page.md').read_text())
    assert sorted(shown) == sorted(files)
    assert max(files.values()) < LARGEST and sum(files.values()) < TOGETHER


def test_each_picture_is_taken_by_the_script():
    script = (DOCS.parent / 'scripts' / 'page_scenes.py').read_text()
    taken = re.findall(r"picture\('(\w+)'", script) + re.findall(r", '(download_\w+)'\)", script)
    kept = {file.stem for file in (DOCS / 'images' / 'page').iterdir()}
    assert set(taken) == kept
