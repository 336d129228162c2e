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

"""Pages are wrapped without a change of what they say."""

import importlib
from pathlib import Path
import sys

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(name='wrap')
def wrap_docs():
    sys.path.insert(0, str(ROOT / 'scripts'))
    yield importlib.import_module('wrap_docs')
    sys.path.pop(0)


def test_words_of_all_pages_stay_and_a_second_time_changes_nothing(wrap):
    for page in wrap.pages():
        text = page.read_text(encoding='utf-8')
        found = wrap.wrapped(text)
        assert found.split() == text.split(), page
        assert wrap.wrapped(found) == found, page
        kept = [line for line in text.split('\n') if line.lstrip().startswith(('|', '#', '```'))]
        assert [line for line in found.split('\n')
                if line.lstrip().startswith(('|', '#', '```'))] == kept, page


@pytest.mark.parametrize(('text', 'expected'), [
    ('a b c d\ne f', 'a b c d\ne f'),
    ('a b\nc d e f', 'a b c d\ne f'),
    ('aa bb cc dd', 'aa bb\ncc dd'),
    ('* aa bb cc dd\n* ee', '* aa bb\n  cc dd\n* ee'),
    ('* aa\n\n  bb cc dd ee', '* aa\n\n  bb cc\n  dd ee'),
    ('aa bb - cc', 'aa bb -\ncc'),                       # a dash would begin an item
    ('`a b c d` ee ff', '`a b c d`\nee ff'),
    ('aa bb cc  \ndd', 'aa bb\ncc  \ndd'),               # a line that is broken by hand
    ('    code aa bb cc', '    code aa bb cc'),
    ('```\naa bb cc dd ee\n```\naa bb cc dd', '```\naa bb cc dd ee\n```\naa bb\ncc dd'),
    ('| aa | bb | cc |\n|---|---|---|', '| aa | bb | cc |\n|---|---|---|'),
    ('# aa bb cc dd\naa bb cc', '# aa bb cc dd\naa bb\ncc')])
def test_what_is_wrapped_and_what_is_not(wrap, text, expected):
    assert wrap.wrapped(text, 7) == expected
