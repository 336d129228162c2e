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

"""A headless Chromium that loads a page and shows what a user would see."""

from __future__ import annotations

import base64
from collections.abc import Sequence
import json
from pathlib import Path
import shutil
import subprocess
import tempfile
import time
from typing import Any
import urllib.request

from websockets.sync.client import connect

PATIENCE = 300.0   # s: software draws the scene, on a busy machine a frame takes a minute
NAMES = ('chromium', 'chromium-browser', 'google-chrome')
FLAGS = (
    '--headless', '--no-sandbox', '--disable-gpu', '--use-angle=swiftshader',
    '--enable-unsafe-swiftshader', '--disable-background-networking', '--no-first-run',
    '--disable-component-update', '--disable-sync', '--hide-scrollbars',
    '--remote-debugging-port=0', '--remote-allow-origins=*',
)


def find_browser() -> str | None:
    """Return the path of a Chromium, or None."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """
    One page in a headless Chromium, driven over its debugging port.

    Parameters
    ----------
    url : str
        Page to open.
    size : tuple of int, optional
        Width and height of the window.

    """

    def __init__(self, url: str, size: tuple[int, int] = (1400, 900)) -> None:
        program = find_browser()
        assert program is not None
        self._profile = tempfile.mkdtemp(prefix='mbd_ros_browser_')
        self._process = subprocess.Popen(
            [program, *FLAGS, f'--user-data-dir={self._profile}',
             f'--window-size={size[0]},{size[1]}', 'about:blank'],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._socket = connect(self._page_address(), max_size=None)
        self._count = 0
        self.call('Emulation.setDeviceMetricsOverride', width=size[0], height=size[1],
                  deviceScaleFactor=1, mobile=False)
        self.call('Page.navigate', url=url)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the debugging protocol and return its result."""
        self._count += 1
        self._socket.send(json.dumps({'id': self._count, 'method': method, 'params': parameters}))
        while True:
            answer = json.loads(self._socket.recv(timeout=PATIENCE))
            if answer.get('id') == self._count:
                assert 'error' not in answer, answer
                return dict(answer['result'])

    def evaluate(self, expression: str) -> Any:
        """Return the value of a JavaScript expression, or of what it promises."""
        return self.call('Runtime.evaluate', expression=expression, awaitPromise=True,
                         returnByValue=True)['result'].get('value')

    def text(self) -> str:
        """Return the text on the page."""
        return str(self.evaluate('document.body.innerText'))

    def wait_for_text(self, text: str, timeout: float) -> None:
        """Wait until a text is on the page."""
        end = time.monotonic() + timeout
        while text not in self.text():
            assert time.monotonic() < end, f"'{text}' is not on the page: {self.text()}"
            time.sleep(0.5)

    def show(self, text: str, index: int = 0, block: str = 'start') -> list[float] | None:
        """Scroll to what bears a text; return the place of its middle, None where it is not."""
        return self.evaluate(f"""(() => {{
            const wanted = {json.dumps(text)};
            const found = [...document.querySelectorAll('*')].filter(one => one.offsetParent &&
                [...one.childNodes].some(
                    node => node.nodeType == 3 && node.textContent.trim() == wanted));
            if (found.length <= {index}) return null;
            found[{index}].scrollIntoView({{block: '{block}'}});
            const box = found[{index}].getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()""")

    def click(self, text: str, index: int = 0) -> None:
        """Click what bears a text, such as a button, a tab or the head of a folder."""
        self.show(text, index, 'nearest')
        time.sleep(0.3)   # it may have been scrolled to, or be moved by what was clicked before
        place = self.show(text, index, 'nearest')
        assert place is not None, f"'{text}' is not on the page: {self.text()}"
        self.drag([place])

    def fill(self, label: str, text: str, index: int = 0) -> None:
        """Type into an input whose label begins with a text, in place of what is there."""
        place = self.evaluate(f"""(() => {{
            let one = [...document.querySelectorAll('*')].find(one => one.offsetParent &&
                [...one.childNodes].some(node => node.nodeType == 3 &&
                    node.textContent.trim().startsWith({json.dumps(label)})));
            const inputs = 'input:not([type=hidden])';   // sliders have one that is
            while (one && !one.querySelector(inputs)) one = one.parentElement;
            if (!one) return null;
            const input = one.querySelectorAll(inputs)[{index}];
            input.scrollIntoView({{block: 'center'}});
            input.focus();
            input.select();
            return true;
        }})()""")
        assert place, f"no input '{label}' is on the page: {self.text()}"
        self.call('Input.insertText', text=text)
        for kind in ('keyDown', 'keyUp'):
            self.call('Input.dispatchKeyEvent', type=kind, key='Enter', code='Enter',
                      windowsVirtualKeyCode=13)

    def drag(self, places: Sequence[Sequence[float]], *, shift: bool = False) -> None:
        """Press the mouse at the first place, move it along the others, and let it go."""
        modifiers = 8 if shift else 0
        x, y = places[0]
        self.mouse('mouseMoved', x, y, modifiers=modifiers)
        self.mouse('mousePressed', x, y, button='left', clickCount=1, modifiers=modifiers)
        for x, y in places[1:]:
            self.mouse('mouseMoved', x, y, button='left', buttons=1, modifiers=modifiers)
            time.sleep(0.1)
        self.mouse('mouseReleased', x, y, button='left', clickCount=1, modifiers=modifiers)

    def mouse(self, kind: str, x: float, y: float, **settings: Any) -> None:
        """Send an event of the mouse."""
        self.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, **settings)

    def screenshot(self, file: Path) -> Path:
        """Write what is seen into a PNG file."""
        file.write_bytes(base64.b64decode(self.call('Page.captureScreenshot')['data']))
        return file

    def close(self) -> None:
        """End the browser."""
        try:
            self.call('Browser.close')
        finally:
            self._socket.close()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            shutil.rmtree(self._profile, ignore_errors=True)

    def _page_address(self) -> str:
        """Return the address at which the page is debugged."""
        port_file = Path(self._profile, 'DevToolsActivePort')
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                port = port_file.read_text().split()[0]
                with urllib.request.urlopen(f'http://127.0.0.1:{port}/json',
                                            timeout=PATIENCE) as answer:
                    pages = [one for one in json.load(answer) if one['type'] == 'page']
                if pages:
                    return str(pages[0]['webSocketDebuggerUrl'])
            except (OSError, IndexError):
                pass
            time.sleep(0.1)
        self._process.kill()
        raise TimeoutError('Chromium does not answer on its debugging port')
