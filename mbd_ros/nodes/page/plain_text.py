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

"""Escape text from outside: names and messages that the page shows."""

from __future__ import annotations

import html
import unicodedata

LONGEST = 200
"""Characters that are shown of a text."""

_INVISIBLE = frozenset(('Cc', 'Cf', 'Cs', 'Co', 'Cn', 'Zl', 'Zp'))
"""Categories of control characters, marks that turn the direction of writing, half characters."""


def plain(text: str, longest: int = LONGEST) -> str:
    """Return a text on one line, cut where it is long, with a code for what cannot be seen."""
    shown = text if len(text) <= longest else f'{text[:longest]}…'
    return ''.join(f'[U+{ord(character):04X}]' if unicodedata.category(character) in _INVISIBLE
                   else character for character in shown)


def escaped(text: str, longest: int = LONGEST) -> str:
    """Return a text as HTML that is nothing but this text."""
    return html.escape(plain(text, longest))
