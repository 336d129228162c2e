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

"""What the page called last, as commands that can be copied, with the answers."""

from __future__ import annotations

from collections import deque

import viser

from mbd_ros.nodes.page.panel import show
from mbd_ros.nodes.page.plain_text import escaped

KEPT = 5
LONGEST = 2000
"""Characters of a command that are shown."""


class CallList:
    """
    The last calls, the newest first.

    Parameters
    ----------
    gui : viser.GuiApi
        Panel of the page; the list comes where its present container is.

    """

    def __init__(self, gui: viser.GuiApi) -> None:
        self._calls: deque[tuple[str, str]] = deque(maxlen=KEPT)
        with gui.add_folder('Calls'):
            self._list = gui.add_html('')
        self._show()

    def add(self, command: str, answer: str = '') -> None:
        """Show a call with its answer so far; the same call in a row is shown once."""
        if self._calls and self._calls[0][0] == command:
            self._calls.popleft()
        self._calls.appendleft((command, answer))
        self._show()

    def answer(self, command: str, answer: str) -> None:
        """Show the answer of a call, if that is still listed."""
        for place, (one, _) in enumerate(self._calls):
            if one == command:
                self._calls[place] = command, answer
                self._show()
                return

    def _show(self) -> None:
        show(self._list, '<div style="height:10em;overflow:auto">' + (''.join(
            f'<div style="font-family:monospace;user-select:all;overflow-wrap:anywhere;'
            f'max-height:6em;overflow:auto;background:#f1f3f6;padding:0.3em">'
            f'{escaped(command, LONGEST)}</div>'
            f'<div style="margin-bottom:0.5em">{escaped(answer)}</div>'
            for command, answer in self._calls) or 'Each control shows here what it calls.')
            + '</div>')
