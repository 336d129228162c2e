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

"""Plain data as text in goals and parameters: YAML without tags, aliases, dates and code."""

from __future__ import annotations

import array
from collections.abc import Mapping
import re
from typing import Any

import numpy as np
import yaml

from mbd_ros.description.records.report import Report
from mbd_ros.description.xml.yaml_tree import MAX_DEPTH, Node, parse_yaml
from mbd_ros.errors import DescriptionError, InvalidValueError

LONGEST = 100_000
"""Characters of a text: some thousand points; it is read in a tenth of a second."""

_NUMBER = re.compile(r'(?=.{1,40}\Z)[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?', re.ASCII)
"""A decimal number of at most 40 characters."""

_WORDS = {'true': True, 'false': False, 'null': None, '~': None, '': None}


def read_plain(name: str, text: str) -> Any:
    """
    Return what a text in YAML says, as plain data.

    Parameters
    ----------
    name : str
        What the text is, for messages.
    text : str
        YAML with lists and mappings of numbers, ``true``, ``false``, ``null`` and texts; whatever
        else a scalar may look like, such as a date, is text.

    Returns
    -------
    dict, list, float, bool, str or None
        Numbers are floats; keys are texts.

    Raises
    ------
    InvalidValueError
        If the text is too long, nested too deeply, not YAML, or has tags, aliases, several
        documents or a key twice; says in which line.

    """
    if len(text) > LONGEST:
        raise InvalidValueError(f'{name} of {len(text)} characters', text[:40],
                                f'at most {LONGEST} characters')
    if not text.strip():
        return None
    try:
        return _plain(parse_yaml(text, Report(name)))
    except DescriptionError as error:
        raise InvalidValueError(name, text, (
            f'YAML of plain values, at most {MAX_DEPTH} levels deep; {error}')) from None


def write_plain(value: Any) -> str:
    """Return plain data, where arrays may stand for lists, as YAML on one line."""
    text = yaml.safe_dump(_listed(value), default_flow_style=True, width=10**9, sort_keys=False,
                          allow_unicode=True)
    return text.removesuffix('\n').removesuffix('\n...')


def _listed(value: Any) -> Any:
    """Return plain data without arrays; lists are new, so that none needs an alias."""
    if isinstance(value, (array.array, np.ndarray)):
        return value.tolist()
    if isinstance(value, Mapping):
        return {name: _listed(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_listed(each) for each in value]
    return value


def _plain(node: Node) -> Any:
    """Return a part of a document; its depth is bounded."""
    value = node.value
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if node.quoted:
        return value
    return float(value) if _NUMBER.fullmatch(value) else _WORDS.get(value, value)
