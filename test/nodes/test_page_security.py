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

"""The page takes text from outside as text, and talks to nobody but itself."""

import json
import math
import os
import threading
import time

from headless_browser import Browser, find_browser
import msgspec
import numpy as np
import pytest
import viser
from websockets.datastructures import Headers
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from mbd_ros.nodes.page import panel
from mbd_ros.nodes.page.local_server import refusal
from mbd_ros.nodes.page.page import Page
from mbd_ros.nodes.page.plain_text import LONGEST, plain

pytestmark = pytest.mark.nodes

HARMLESS = 'shoulder'
RUN = ('window.ran=1', 'parent.ran=1', 'top.ran=1')
ELEMENTS = (
    '<script>{0}</script>', '<img src=x onerror={0}>', '<svg onload={0}>', '<svg><script>{0}',
    '<iframe srcdoc="<script>{0}</script>"></iframe>', '<iframe src="javascript:{0}">',
    '<a href="javascript:{0}">x</a>', '[x](javascript:{0})', '![x](x" onerror="{0})', '{{{0}}}',
    '<details open ontoggle={0}>', '<style>@import "x"</style>', '<math><mi xlink:href={0}>',
    '**bold** _i_ `code` # head', '<b/onclick={0}>', '&lt;script&gt;{0}', '<!-- {0} -->',
    '<input autofocus onfocus={0}>', '| a | b |\n|---|---|\n| <script>{0}</script> | |')
WRAPS = ('{0}', '"{0}', "'>{0}", '</td></tr></table></div>{0}', '\u202e{0}', '\x00\x1b[31m{0}',
         '\u2028{0}', ']]>{0}', '\\"{0}', '\ud800{0}')

COUNT = """JSON.stringify([...document.querySelectorAll('*')].map(
    e => e.tagName + (['href', 'src', 'srcdoc', 'onerror', 'onload', 'onclick'].map(
        a => e.hasAttribute(a) ? ' ' + a + '=' + e.getAttribute(a).slice(0, 40) : '').join('')
    )).sort())"""


def hostile_names():
    """Return names that want to be more than text: each kind of element in a random wrapping."""
    rng = np.random.default_rng(7)
    return [WRAPS[rng.integers(len(WRAPS))].format(element.format(RUN[rng.integers(len(RUN))]))
            for element in ELEMENTS]


@pytest.fixture
def page():
    told = []
    page = Page('127.0.0.1', 8540, report=told.append)
    page.told = told
    page.efforts = page.panel.add_plot('Efforts', 'N m', 'effort [N m]')
    with page.panel.watch:
        page.table = page.server.gui.add_html('')
    yield page
    page.close()


def show(page, name, case):
    """Show a name in each place that text from outside has on the page."""
    page.panel.set_status(f'case {case} {name} · tracking', {name: 'value', 'reason': name})
    for instant in (0.0, 1.0, 2.0):
        page.efforts.add(instant, {name: 1.0, 'other': 2.0})
    panel.show(page.table, panel.table((name, 'head'), [(name, 'entry')]))
    page.redraw()
    page.clear()   # the next case begins anew


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.skipif(find_browser() is None, reason='no chromium on this machine')
def test_hostile_names_are_shown_as_text(page, tmp_path):
    browser = Browser(page.url)
    try:
        show(page, HARMLESS, 'first')
        browser.wait_for_text('case first', 180.0)
        browser.wait_for_text(HARMLESS, 60.0)
        elements = steady(browser)
        assert '"TABLE' in elements
        for case, name in enumerate(hostile_names()):
            show(page, name, case)
            browser.wait_for_text(f'case {case} ', 60.0)
            assert browser.evaluate('window.ran') is None, name
            now = steady(browser)
            assert now == elements, f'{name!r}: {set(json.loads(now)) ^ set(json.loads(elements))}'
            text = ' '.join(browser.text().split())
            assert text.count(' '.join(plain(name).split())) >= 6, name
        browser.screenshot(tmp_path / 'hostile.png')
        assert browser.evaluate('window.ran') is None
    finally:
        browser.close()


def steady(browser):
    """Return the elements on the page once two looks in a row agree."""
    before, now = '', browser.evaluate(COUNT)
    for _ in range(100):
        if now == before:
            break
        time.sleep(0.1)
        before, now = now, browser.evaluate(COUNT)
    return now


def open_socket(page, **settings):
    return connect(f'ws://127.0.0.1:{page.port}', subprotocols=[f'viser-v{viser.__version__}'],
                   **settings)


@pytest.mark.parametrize('origin', [
    'http://evil.example', 'null', 'https://127.0.0.1', 'http://127.0.0.1',
    'http://127.0.0.1:8540.evil.example', 'http://localhost:1'])
def test_foreign_pages_get_no_websocket(page, origin):
    with pytest.raises(InvalidStatus) as error:
        open_socket(page, origin=origin)
    assert error.value.response.status_code == 403
    assert b'is foreign; allowed: http://127.0.0.1:' in error.value.response.body


def test_own_page_and_local_programs_get_one(page):
    for origin in (page.url, None):
        with open_socket(page, origin=origin) as socket:
            assert socket.recv(timeout=60)


CAMERA = {'type': 'ViewerCameraMessage', 'wxyz': (1.0, 0.0, 0.0, 0.0), 'position': (3.0, 0.0, 1.0),
          'fov': 0.8, 'near': 0.01, 'far': 1000.0, 'image_height': 720, 'image_width': 1280,
          'look_at': (0.0, 0.0, 0.0), 'up_direction': (0.0, 0.0, 1.0)}


def update(control, **updates):
    """Return the frame by which a browser changes a control."""
    return msgspec.msgpack.encode({
        'type': 'GuiUpdateMessage', 'uuid': control._impl.uuid, 'updates': updates})


@pytest.fixture
def controls(page):
    gui = page.server.gui
    return {
        'slider': gui.add_slider('time [s]', 0.0, 10.0, 0.1, 1.0),
        'number': gui.add_number('mass [kg]', 1.0, min=0.0),
        'switch': gui.add_checkbox('shown', False),
        'choice': gui.add_dropdown('link', ('a', 'b')),
        'buttons': gui.add_button_group('joints', ('Move there', 'Stop')),
        'vector': gui.add_vector3('gravity', (0.0, 0.0, -9.8), min=(-10.0,) * 3, max=(10.0,) * 3),
        'button': gui.add_button('Clear')}


GOOD = {'slider': [0, 0.0, 10.0, 3.2], 'number': [0, 1e8], 'switch': [True, False],
        'choice': ['a', 'b'], 'buttons': ['Stop', 'Move there'],
        'vector': [[1, 2.0, -10.0]], 'button': [True, False]}
BAD = [math.nan, math.inf, -math.inf, -1e308, 1e18, -0.1, 10.5, None, 'x', '', [], {}, [1.0],
       [1.0, 2.0], [0.0, 0.0, 11.0], [0.0, math.nan, 0.0], ['a', 'b', 'c'], {'a': 1}, b'x',
       'x' * 5000]


def test_a_control_takes_finite_values_of_its_type(page, controls):
    gate = page.server.gate
    for name, control in controls.items():
        assert not [v for v in GOOD[name] if gate.objection(update(control, value=v))], name
        bad = [v for v in BAD if v not in GOOD[name] and not gate.objection(
            update(control, value=v))]
        typed = {'number': [-0.1, 10.5], 'vector': [[0.0, 0.0, 11.0]]}   # answered on the page
        assert bad == typed.get(name, []), name


def test_a_browser_changes_nothing_of_a_control_but_its_value(page, controls):
    stop = controls['buttons']
    pressed = []
    stop.on_click(lambda event: pressed.append(event.target.value))
    attributes = set(vars(stop._impl)) | {'__class__', 'props', 'no_such_attribute'}
    attributes -= {'value'}
    with open_socket(page) as socket:
        socket.send(msgspec.msgpack.encode(CAMERA))   # viser takes it for a browser after this
        for name in sorted(attributes):
            for value in ([], None, 'x', 0.0, {}):
                socket.send(update(stop, **{name: value}))
                socket.send(update(stop, value='Stop', **{name: value}))
        for frame in (b'', b'\x00', b'\x81', 'text', b'\xff' * 100, b'\x91' * 10**5,
                      msgspec.msgpack.encode({'type': ['GuiUpdateMessage']}),
                      msgspec.msgpack.encode({'type': 'FileTransferStartUpload'}),
                      msgspec.msgpack.encode(
                          {'type': 'GuiUpdateMessage', 'uuid': [], 'updates': 3})):
            socket.send(frame)
        socket.send(update(stop, value='Stop'))   # on the same connection, which is still open
        limit = time.monotonic() + 30.0
        while not pressed and time.monotonic() < limit:
            time.sleep(0.01)
    assert pressed == ['Stop']
    assert page.server.gate.refused == 10 * len(attributes) + 9
    assert 1 <= len(page.told) <= 60   # one line a second at most
    assert all('refused a message of a browser' in line for line in page.told)


def test_another_page_sees_that_somebody_acts(page, controls, monkeypatch):
    """Once a second at most, and who acts is told nothing."""
    notes = []
    monkeypatch.setattr(viser.ClientHandle, 'add_notification',
                        lambda client, *said, **more: notes.append((client.client_id, *said)))
    with open_socket(page) as actor, open_socket(page) as other:
        known = []
        for socket in (actor, other):
            socket.send(msgspec.msgpack.encode(CAMERA))
            limit = time.monotonic() + 30.0
            while len(page.server.get_clients()) == len(known) and time.monotonic() < limit:
                time.sleep(0.01)
            known = list(page.server.get_clients())
        for _ in range(20):
            actor.send(update(controls['buttons'], value='Stop'))
        limit = time.monotonic() + 30.0
        while not notes and time.monotonic() < limit:
            time.sleep(0.01)
    assert set(notes) == {(max(known), 'Another page acts', 'joints')}
    assert len(notes) < 20


def test_connections_that_are_cut_leave_nothing(page):
    """After some that warm everything up: neither threads, nor files, nor clients."""
    def cut(count):
        for _ in range(count):
            socket = open_socket(page)
            socket.recv(timeout=60)
            socket.send(msgspec.msgpack.encode(CAMERA))
            socket.socket.shutdown(2)
            socket.socket.close()
        limit = time.monotonic() + 60.0
        while page.server.get_clients() and time.monotonic() < limit:
            time.sleep(0.05)
        time.sleep(0.5)
        assert page.server.get_clients() == {}
        return len(os.listdir('/proc/self/fd')), threading.active_count()
    files, threads = cut(20)
    files_later, threads_later = cut(40)
    assert files_later <= files + 2
    assert threads_later <= threads + 2


@pytest.mark.parametrize(('host', 'allowed'), [
    ('127.0.0.1:8080', True), ('localhost:8080', True), ('LOCALHOST', True), ('[::1]:80', True),
    ('127.9.9.9', True), ('evil.example:8080', False), ('localhost.evil.example', False),
    ('192.168.0.7:8080', False), ('127.0.0.1.nip.io', False), ('', False), ('[::1', False),
    ('localhost@evil.example', False), ('user@evil.example#localhost', False),
    ('evil@localhost', False), ('localhost/evil', False), ('localhost?evil', False),
    ('localhost:8080; script-src *', False), ('localhost:99999', False), ('localhost.', False),
    ('[::1]evil', False), ('localhost:', False)])
def test_only_names_of_this_machine_are_served(host, allowed):
    why = refusal('127.0.0.1', Headers(Host=host))
    assert (why == '') == allowed
    assert allowed or 'allowed: localhost or the address of it' in why
    assert refusal('127.0.0.1', Headers([('Host', '127.0.0.1'), ('Host', 'evil.example')]))


def test_an_address_that_was_asked_for_is_served_too():
    assert not refusal('0.0.0.0', Headers(Host='192.168.0.7:8080'))
    assert not refusal('192.168.0.7', Headers(
        Host='192.168.0.7:8080', Origin='http://192.168.0.7:8080'))
    assert refusal('0.0.0.0', Headers(Host='evil.example'))
    assert refusal('0.0.0.0', Headers(Host='192.168.0.7', Origin='http://evil.example'))


def test_other_names_get_no_page_and_the_own_one_a_policy(page):
    import http.client

    def get(host):
        connection = http.client.HTTPConnection('127.0.0.1', page.port, timeout=60)
        connection.request('GET', '/', headers={'Host': host})
        return connection.getresponse()
    assert get('evil.example').status == 403
    answer = get(f'localhost:{page.port}')
    assert answer.status == 200
    assert f"connect-src 'self' ws://localhost:{page.port} " in (
        answer.headers['Content-Security-Policy'])


def test_nothing_is_shared_over_the_internet(page, monkeypatch):
    asked = threading.Event()
    monkeypatch.setattr(viser.ViserServer, 'request_share_url', lambda *_, **__: asked.set())
    page.server.request_share_url()
    assert not asked.is_set()


def test_plain_text():
    assert plain('a\x1b[0m\u202eb\nc\ud800') == 'a[U+001B][0m[U+202E]b[U+000A]c[U+D800]'
    assert plain('x' * 5000) == 'x' * LONGEST + '…'
    assert plain('Gelenk ü 关节 🦾') == 'Gelenk ü 关节 🦾'
