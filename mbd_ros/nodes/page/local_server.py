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

"""Access control of the page: local programs, and browsers that show this page itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import contextlib
from http import HTTPStatus
from ipaddress import ip_address
import socket
import time
from typing import Any
from urllib.parse import urlsplit

import viser
from viser._messages import GuiUpdateMessage
from websockets.asyncio import server
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from mbd_ros.errors import UnsupportedError
from mbd_ros.nodes.page.incoming import connections, Gate, Report
from mbd_ros.nodes.page.plain_text import plain

Answer = Callable[[server.ServerConnection, Request], Any]

TELL_PERIOD = 1.0
"""Least time between two notes that another page acts [s]."""
SHOWN = 4.0
"""Time for which one is shown [s]."""
POLICY = ("connect-src 'self' ws://{host} blob: data:; frame-src 'none'; object-src 'none'; "
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
"""Content-Security-Policy: the page talks to its own server only, and is in no other page."""


class LocalServer(viser.ViserServer):
    """
    A server of viser that only answers its own page.

    Refused are websockets that another page opens (their ``Origin`` is not ours) and requests for
    another host name (DNS rebinding: a foreign name that resolves to this machine), and messages
    that are more than values of controls and gestures (`Gate`). Nothing is shared over the
    internet, which viser does when a client asks for it. Where several pages are open each shows
    what another one does.

    Parameters
    ----------
    host : str
        Address to listen on.
    port : int
        Port to listen on; the next free one if it is taken.
    report : Callable
        Gets a line, once a second at most, on messages that were refused.
    **settings
        Those of viser.

    """

    def __init__(self, host: str, port: int, report: Report, **settings: Any) -> None:
        self.gate: Gate | None = None   # nothing is let in before there is one
        with _guarded(host, connections(lambda: self.gate)):
            super().__init__(host=host, port=port, **settings)
        self.gate = Gate(self.gui._gui_input_handle_from_uuid, report)
        self._told = -TELL_PERIOD
        self._websock_server.register_handler(GuiUpdateMessage, self._tell_others)

    def _tell_others(self, actor: int, message: GuiUpdateMessage) -> None:
        """Show on the other pages that somebody has used a control; once in a while."""
        control = self.gui._gui_input_handle_from_uuid.get(message.uuid)
        now = time.monotonic()
        if control is None or now - self._told < TELL_PERIOD:
            return
        others = [client for number, client in self.get_clients().items() if number != actor]
        if others:
            self._told = now
        label = plain(getattr(control._impl.props, 'label', None) or 'a control')
        for client in others:
            client.add_notification('Another page acts', label, auto_close_seconds=SHOWN)

    def request_share_url(self, verbose: bool = True) -> None:
        """Share nothing."""


def refusal(bound: str, headers: Headers) -> str:
    """
    Return why a request is refused, empty if it is not.

    Parameters
    ----------
    bound : str
        Address that the server listens on.
    headers : Headers
        Of the request.

    """
    hosts, origins = headers.get_all('Host'), headers.get_all('Origin')
    if len(hosts) != 1 or not _is_own(hosts[0], bound):
        return (f'this page is not served as {hosts!r:.200}; allowed: localhost or the address '
                'of it')
    if any(origin.lower() != f'http://{hosts[0].lower()}' for origin in origins):
        return f'the page {origins!r:.200} is foreign; allowed: http://{hosts[0]:.200}'
    return ''


def _is_own(host: str, bound: str) -> bool:
    """Tell whether a Host header names this machine: by an address, or by a name of its own."""
    try:
        parts = urlsplit(f'//{host}')
        name = parts.hostname or ''
        port = '' if parts.port is None else f':{parts.port}'
    except ValueError:
        return False
    if host.lower() not in (f'{name}{port}', f'[{name}]{port}'):
        return False   # a user, a path or white space besides
    if name in ('localhost', bound):
        return True
    machine = socket.gethostname().lower()
    try:
        return ip_address(name).is_loopback or not _is_loopback(bound)
    except ValueError:
        return not _is_loopback(bound) and name in (machine, f'{machine}.local')


def _is_loopback(bound: str) -> bool:
    try:
        return ip_address(bound).is_loopback
    except ValueError:
        return bound == 'localhost'


@contextlib.contextmanager
def _guarded(bound: str, connection: type[server.ServerConnection]) -> Iterator[None]:
    """Let a server that is made meanwhile check every request; viser has no setting for it."""
    plain_serve, guarded = server.serve, []

    def serve(*arguments: Any, process_request: Answer, **settings: Any) -> Any:
        guarded.append(True)
        return plain_serve(*arguments, process_request=_checked(bound, process_request),
                           create_connection=connection, **settings)

    server.serve = serve  # type: ignore[assignment, misc]
    try:
        yield
    finally:
        server.serve = plain_serve  # type: ignore[misc]
    if not guarded:
        raise UnsupportedError(f'the page with viser {viser.__version__}, whose requests cannot '
                               'be checked,', 'install viser 1.0 or 1.1')


def _checked(bound: str, answer: Answer) -> Answer:
    def process(connection: server.ServerConnection, request: Request) -> Any:
        why = refusal(bound, request.headers)
        if why:
            return connection.respond(HTTPStatus.FORBIDDEN, f'{why}\n')
        response = answer(connection, request)
        if isinstance(response, Response):
            response.headers['Content-Security-Policy'] = POLICY.format(
                host=request.headers['Host'])
        return response

    return process
