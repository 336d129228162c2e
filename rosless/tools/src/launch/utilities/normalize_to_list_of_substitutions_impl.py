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

"""Turn what users write into a list of substitutions."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from launch.substitution import Substitution


def normalize_to_list_of_substitutions(subs: Any) -> list[Substitution]:
    """
    Return the parts of a text as substitutions.

    Parameters
    ----------
    subs : str, Path, Substitution, or iterable of these
        The text.

    Returns
    -------
    list of Substitution
        Plain texts become ``TextSubstitution``.

    Raises
    ------
    TypeError
        If a part is something else.

    """
    if isinstance(subs, (str, Path, Substitution)):
        return [_normalize(subs)]
    if isinstance(subs, Iterable):
        return [_normalize(part) for part in subs]
    raise TypeError(f'expected a text, a substitution or a list of these, found '
                    f"'{subs}' of type {type(subs).__name__}")


def _normalize(part: Any) -> Substitution:
    from launch.substitutions.text_substitution import TextSubstitution

    if isinstance(part, Substitution):
        return part
    if isinstance(part, (str, Path)):
        return TextSubstitution(text=str(part))
    raise TypeError(f'expected a text or a substitution, found '
                    f"'{part}' of type {type(part).__name__}")
