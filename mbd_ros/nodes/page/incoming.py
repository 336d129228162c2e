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

"""Checks what browsers send to the page: values of controls, gestures with finite numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
import time
from typing import Any, TypeAlias

import msgspec
from viser import _messages
from websockets.asyncio import server

from mbd_ros.nodes.page.numbers_in import number, numbers

LARGEST = 1e9
"""Numbers beyond this are no position, direction or size of a window."""

BOUNDS = -LARGEST, LARGEST

LONGEST_TEXT = 1000
"""Characters of a text that is typed into a control."""

LOG_PERIOD = 1.0
"""Time between two lines on refused messages [s]."""

ADMITTED = ('GuiUpdateMessage', 'GuiButtonHold', 'ViewerCamera', 'GetRenderResponse',
            'TransformControls', 'SceneNode', 'ScenePointer')
"""How the types of messages begin that this page has a use for; uploads are not among them."""

Report: TypeAlias = Callable[[str], Any]


class Gate:
    """
    Looks through what browsers send before viser does.

    viser sets any attribute of a control that a client names, so that one page could take the
    functions off another's *Stop*; and a message that it cannot read ends the connection with a
    traceback. Here a control takes a finite value of its type, a slider one within its bounds, and
    nothing else. What is refused is counted and told once a second at most; the connection goes
    on.

    Parameters
    ----------
    controls : Mapping
        The controls of viser by their identifier.
    report : Callable
        Gets a line on what was refused.

    """

    def __init__(self, controls: Mapping[str, Any], report: Report) -> None:
        self._controls = controls
        self._report = report
        self._told = -LOG_PERIOD
        self.refused = 0

    def admits(self, frame: bytes | str) -> bool:
        """Tell whether viser may have a frame of a websocket."""
        why = self.objection(frame)
        if not why:
            return True
        self.refused += 1
        now = time.monotonic()
        if now - self._told >= LOG_PERIOD:
            self._told = now
            self._report(f'refused a message of a browser, {self.refused} in all: {why:.200}')
        return False

    def objection(self, frame: bytes | str) -> str:
        """Return why a frame is refused, empty if it is not."""
        try:
            if not isinstance(frame, bytes):
                return 'no message of viser'
            fields = msgspec.msgpack.decode(frame)
            kind = fields['type']
            if not kind.startswith(ADMITTED):
                return f'{kind!r:.60} is not asked for'
            if not _is_finite(fields):
                return f'{kind} with numbers beyond {LARGEST:g}'
            message = _messages.Message.deserialize(frame)
            if isinstance(message, _messages.GuiUpdateMessage):
                return self._objection_to_update(message)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            return f'no message of viser: {error}'
        return ''

    def _objection_to_update(self, message: _messages.GuiUpdateMessage) -> str:
        control = self._controls.get(message.uuid)
        if control is None:
            return ''   # one that has just been removed; viser passes it over
        state = control._impl
        if set(message.updates) != {'value'}:
            return f"attributes {sorted(message.updates)!r} of a control; allowed: 'value'"
        if getattr(state.props, 'disabled', False):
            return 'a value of a control that is off'
        value = message.updates['value']
        if not _suits(value, state.value, state.props):
            return f'{value!r:.60} for a control with {state.value!r:.60}'
        return ''


def _is_finite(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_is_finite, value.values()))
    if isinstance(value, list):
        return all(map(_is_finite, value))
    return not isinstance(value, float) or abs(value) <= LARGEST


def _suits(value: Any, present: Any, props: Any) -> bool:
    """
    Tell whether a value may take the place of the present one of a control.

    What can be typed has no bounds here: the callback checks it and answers on the page.
    """
    if isinstance(present, bool):
        return isinstance(value, bool)
    if isinstance(present, int | float):
        slides = isinstance(props, _messages.GuiSliderProps)
        return number(value, *((props.min, props.max) if slides else BOUNDS)) is not None
    if isinstance(present, tuple):
        return isinstance(value, list) and numbers(value, len(present), LARGEST) is not None
    if isinstance(present, str):
        options = getattr(props, 'options', None)
        return isinstance(value, str) and (
            len(value) <= LONGEST_TEXT if options is None else value in options)
    return False


def connections(gate: Callable[[], Gate | None]) -> type[server.ServerConnection]:
    """Return a class of connections that only hand over frames which a gate admits."""

    class Checked(server.ServerConnection):
        async def recv(self, decode: bool | None = None) -> Any:
            """Return the next frame that is admitted."""
            while True:
                frame = await super().recv(decode)
                present = gate()
                if present is not None and present.admits(frame):
                    return frame

    return Checked
