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

"""The pictures of docs/page.md: all are shown, and small."""

from pathlib import Path
import re

DOCS = Path(__file__).resolve().parents[3] / 'docs'
LARGEST, TOGETHER = 60_000, 1_200_000   # bytes: a page that loads in a second at 10 Mbit/s


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
