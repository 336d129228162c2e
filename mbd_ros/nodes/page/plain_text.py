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
