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

"""A name that nobody else uses."""

from __future__ import annotations

import os
import socket
import time
from typing import TYPE_CHECKING

from launch.some_substitutions_type import SomeSubstitutionsType
from launch.substitution import Substitution
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext

PREFIX = 'anon'


class AnonName(Substitution):
    """
    Stands for a name made unique, the same for the same name in one launch.

    Parameters
    ----------
    name : text with substitutions
        Beginning of the name.

    """

    def __init__(self, name: SomeSubstitutionsType) -> None:
        self.__name = normalize_to_list_of_substitutions(name)

    @property
    def name(self) -> list[Substitution]:
        """Parts of the beginning of the name."""
        return self.__name

    def describe(self) -> str:
        """Return a text for people that shows what this substitution is."""
        return f"AnonName({' + '.join(part.describe() for part in self.__name)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the name."""
        name = perform_substitutions(context, self.__name)
        known = context.get_locals_as_dict().get(PREFIX)
        if known is None:
            known = {}
            context.extend_globals({PREFIX: known})
        if name not in known:
            host = ''.join(c if c.isalnum() else '_' for c in socket.gethostname())
            known[name] = f'{name}_{host}_{os.getpid()}_{time.time_ns()}'
        return str(known[name])
