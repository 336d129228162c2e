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

"""Expectations about the output of a process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import re
from typing import Any

from launch_testing.tools import basic_output_filter

__all__ = ['create_output_lines_filter', 'create_output_lines_test', 'create_output_regex_test',
           'create_output_test_from_file']


def create_output_test_from_file(output_file: str) -> Callable[[str], bool]:
    """Return a test for the lines of ``output_file.txt``, or the pattern in ``.regex``."""
    for suffix, make in (('.txt', lambda text: create_output_lines_test(text.splitlines())),
                         ('.regex', lambda text: create_output_regex_test(text.splitlines()))):
        file = Path(f'{output_file}{suffix}')
        if file.is_file():
            return make(file.read_text())
    raise RuntimeError(f'could not find output check file: {output_file}')


def create_output_lines_test(expected_lines: list[str]) -> Callable[[str], bool]:
    """Return a test for lines that follow each other, with others in between."""
    def test(output: str) -> bool:
        rest = iter(output.splitlines())
        return all(line in rest for line in expected_lines)

    return test


def create_output_regex_test(expected_patterns: list[str]) -> Callable[[str], bool]:
    """Return a test for patterns that are found one behind the other."""
    patterns = [re.compile(pattern) for pattern in expected_patterns]

    def test(output: str) -> bool:
        place = 0
        for pattern in patterns:
            match = pattern.search(output, place)
            if match is None:
                return False
            place = match.end()
        return True

    return test


def create_output_lines_filter(
    filtered_prefixes: Any = None, filtered_patterns: Any = None,
    filtered_rmw_implementation: Any = None,
) -> Callable[[str], str]:
    """Return a function that takes lines out; see ``launch_testing.tools``."""
    return basic_output_filter(filtered_prefixes, filtered_patterns)
