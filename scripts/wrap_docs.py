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
Wrap the prose of Markdown pages at one width.

``python scripts/wrap_docs.py [--check] [PAGE...]`` rewrites the README, CONTRIBUTING and all pages
in docs/ and rosless/, or those that are given; with ``--check`` it names those that it would
change, and ends with 1 if there are any. Code, tables, headings and HTML stay as they are, and
code spans are kept in one line. A page that was wrapped does not change when it is wrapped again.
"""

from __future__ import annotations

from pathlib import Path
import re
import sys

ROOT = Path(__file__).resolve().parents[1]
WIDTH = 99
ITEM = re.compile(r'(\s*)([*+-]|\d+[.)])(\s+)')
KEPT = re.compile(r'\s*(\||#|<|!\[|\$\$|\[[^\]]+\]:|:::|={3,}$|-{3,}$)')
"""Lines that are no prose: tables, headings, HTML, pictures, references, rules."""
WORD = re.compile(r'(?:`+[^`]*`+|[^\s`])+|`')
BLOCK = re.compile(r'([*+-]|\d+[.)]|#+|>.*|\|.*|={2,}|-{2,}|```.*|~~~.*)$')
"""Words that would begin a block if they began a line."""


def wrapped(text: str, width: int = WIDTH) -> str:
    """
    Return a page with its prose wrapped.

    Parameters
    ----------
    text : str
        The page, in Markdown.
    width : int
        Longest line of prose; a word or a code span alone may be longer.

    """
    out: list[str] = []
    block: list[str] = []
    fence, blank, in_list = '', True, False

    def flush() -> None:
        out.extend(_filled(block, width))
        block.clear()

    for line in text.split('\n'):
        mark = re.match(r'\s*(`{3,}|~{3,})', line)
        if fence or mark:
            flush()
            out.append(line)
            if fence:
                fence = '' if mark and mark[1].startswith(fence) else fence
            elif mark:
                fence = mark[1]
            blank = False
            continue
        item = ITEM.match(line)
        code = blank and line.startswith('    ') and not in_list
        if not line.strip() or code or KEPT.match(line):
            flush()
            out.append(line)
            blank = blank and code or not line.strip()
            continue
        if item or (block and (line.startswith('>') or block[-1].endswith('  '))):
            flush()
        if blank or item:
            in_list = bool(item) or (in_list and line.startswith(' '))
        block.append(line)
        blank = False
    flush()
    return '\n'.join(out)


def _filled(block: list[str], width: int) -> list[str]:
    """Return the lines of one paragraph or item, filled."""
    if not block or block[0].startswith('>'):
        return list(block)
    item = ITEM.match(block[0])
    first = item[0] if item else re.match(r'\s*', block[0])[0]   # type: ignore[index]
    rest = ' ' * len(first)
    if item and len(block) > 1:   # an item may have its text further in than its mark asks for
        rest = re.match(r'\s*', block[1])[0] or rest   # type: ignore[index]
    tail = '  ' if block[-1].endswith('  ') else ''
    words = WORD.findall(' '.join([block[0][len(first):], *block[1:]]))
    lines, line = [], first
    for k, word in enumerate(words):
        if not k:
            line = first + word
        elif len(line) + 1 + len(word) > width and not BLOCK.match(word):
            lines.append(line)
            line = rest + word
        else:
            line += ' ' + word
    return [*lines, line + tail]


def pages() -> list[Path]:
    """Return all pages."""
    return [ROOT / 'README.md', ROOT / 'CONTRIBUTING.md', *sorted((ROOT / 'docs').rglob('*.md')),
            *sorted((ROOT / 'rosless').rglob('*.md'))]


def main() -> None:
    """Wrap pages, or name those that are not wrapped."""
    given = [argument for argument in sys.argv[1:] if argument != '--check']
    changed = []
    for page in map(Path, given) if given else pages():
        text = page.read_text(encoding='utf-8')
        if (found := wrapped(text)) != text:
            changed.append(page)
            if '--check' not in sys.argv:
                page.write_text(found, encoding='utf-8')
    for page in changed:
        print(page)
    sys.exit(bool(changed) and '--check' in sys.argv)


if __name__ == '__main__':
    main()
