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

"""
The pictures of docs/page.md: each control of the page, used in a browser as a person would.

``make pictures`` starts launch files, uses every control by mouse and keyboard in a headless
Chromium, checks by topics and services that it did what it should, and takes a picture.
"""

from __future__ import annotations

from collections.abc import Callable
import csv
import io
import math
import os
from pathlib import Path
import re
import shutil
import subprocess
import sys
import tempfile
import time
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / 'test' / 'support'))

from domains import reserve_domain  # noqa: E402
from graphs import Graph  # noqa: E402
from headless_browser import Browser  # noqa: E402
import numpy as np  # noqa: E402
from PIL import Image  # noqa: E402
from processes import launcher, PATH, starting  # noqa: E402

PICTURES = ROOT / 'docs' / 'images' / 'page'
LARGE = ROOT / 'build' / 'page'   # as large as on the screen, to be looked at; not in git
SIZE = (1080, 860)
FOV = 0.7                  # [rad], from the upper to the lower edge
LEAST_HEIGHT = 440         # of a picture: less shows too little of the robot
WHOLE = 960                # width of a picture of the whole page
TABS = ('Watch', 'Joints', 'Control', 'Show', 'Log')
SEEN = 460                 # width of the scene in it, from the middle of what the browser shows
COLORS = 96                # of a palette: more cannot be told apart here
MOST_BYTES = 60_000
PATIENCE = 300.0           # [s]: far above what any step takes


class Person:
    """
    Somebody before the page, who also has a shell.

    Parameters
    ----------
    url : str
        Address of the page.
    eye, target : tuple of float
        Where the camera is and looks at [m].

    """

    def __init__(self, url: str, eye: tuple[float, ...], target: tuple[float, ...]) -> None:
        self.eye, self.target = np.array(eye), np.array(target)
        self.browser = Browser(
            f'{url}/?initialCameraPosition={",".join(map(str, eye))}&initialCameraLookAt='
            f'{",".join(map(str, target))}&initialCameraUp=0,0,1&initialCameraFov={FOV}', SIZE)
        self.downloads = Path(tempfile.mkdtemp(prefix='mbd_ros_downloads_'))
        self.browser.call('Browser.setDownloadBehavior', behavior='allow',
                          downloadPath=str(self.downloads))
        self.browser.wait_for_text('mbd_ros', PATIENCE)
        self._dismiss_notice()

    def _dismiss_notice(self) -> None:
        """Close the notice that software draws."""
        self.wait(lambda: self.browser.evaluate(
            """(() => {const one = document.querySelector('.mantine-Notification-closeButton');
            if (one) one.click(); return !document.body.innerText.includes('software mode');
            })()"""), 'the notice is gone')

    def wait(self, condition: Callable[[], Any], what: str, timeout: float = PATIENCE) -> Any:
        """Wait until a condition holds, and return its value."""
        end = time.monotonic() + timeout
        while not (value := condition()):
            assert time.monotonic() < end, f'not within {timeout} s: {what}'
            time.sleep(0.2)
        return value

    def answered(self, command: str, answer: str) -> str:
        """Wait until the newest call on the page is this command with this answer; return it."""
        def found() -> str:
            newest = (self.calls() or [('', '')])[0]
            return newest[0] if re.search(command, newest[0]) and re.search(
                answer, newest[1]) else ''
        return str(self.wait(found, f'{command}: {answer}; the calls are {self.calls()}'))

    def calls(self) -> list[tuple[str, str]]:
        """Return the calls that the page shows, the newest first, each with its answer."""
        return [(one, two) for one, two in self.browser.evaluate(
            """[...document.querySelectorAll('div')].filter(
            one => one.style.userSelect == 'all' && one.offsetParent).map(
            one => [one.innerText, one.nextElementSibling.innerText])""")]

    def copied(self, index: int = 0) -> str:
        """Click the line of a call, which marks it, and return what a copy would hold."""
        x, y = self.browser.evaluate(
            f"""(() => {{const one = [...document.querySelectorAll('div')].filter(
            one => one.style.userSelect == 'all' && one.offsetParent)[{index}];
            one.scrollIntoView({{block: 'nearest'}});
            const box = one.getBoundingClientRect();
            return [box.x + 40, box.y + 12];}})()""")
        self.browser.drag([(x, y)])
        return str(self.browser.evaluate('window.getSelection().toString()'))

    def turn_to(self, text: str, index: int = 0) -> None:
        """Click a tab or the head of a folder, and wait until nothing moves any more."""
        self.browser.click(text, index)
        time.sleep(1.5)

    def type(self, label: str, text: str) -> None:
        """Type into an input until it has the text: one that follows the robot changes amid it."""
        def has() -> bool:
            self.browser.fill(label, text)
            time.sleep(1.0)
            return bool(self.browser.evaluate(
                f"""[...document.querySelectorAll('input')].some(
                one => one.offsetParent && one.value == '{text}')"""))
        self.wait(has, f'{label}: {text}')

    def choose(self, label: str, option: str) -> None:
        """Choose an option of a list beside a label."""
        x, y = self.browser.evaluate(f"""(() => {{
            let one = [...document.querySelectorAll('*')].find(one => one.offsetParent &&
                [...one.childNodes].some(
                    node => node.nodeType == 3 && node.textContent.trim() == '{label}'));
            while (!one.querySelector('input')) one = one.parentElement;
            const box = one.querySelector('input').getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];}})()""")
        self.browser.drag([(x, y)])
        time.sleep(1.5)
        self.browser.click(option)
        self.wait(lambda: self.browser.evaluate(
            f"""[...document.querySelectorAll('input')].some(
            one => one.offsetParent && one.value == '{option}')"""), f'{label}: {option}')

    def check(self, label: str) -> None:
        """Click the box beside a label until it changes: what is above may grow amid that."""
        find = f"""(() => {{let one = [...document.querySelectorAll('*')].find(
                one => one.offsetParent && [...one.childNodes].some(
                    node => node.nodeType == 3 && node.textContent.trim() == '{label}'));
            while (one && !one.querySelector('input[type=checkbox]')) one = one.parentElement;
            const box = one.querySelector('input[type=checkbox]');
            box.scrollIntoView({{block: 'nearest'}});
            const at = box.getBoundingClientRect();
            return [box.checked, at.x + at.width / 2, at.y + at.height / 2];}})()"""
        before = self.browser.evaluate(find)[0]

        def clicked() -> bool:
            time.sleep(1.0)
            now, *place = self.browser.evaluate(find)
            if now == before:
                self.browser.drag([place])
            return bool(now != before)
        self.wait(clicked, label)

    def pixel(self, point: Any) -> tuple[float, float]:
        """Return where on the screen a point (3,) of the scene is [m]."""
        left, top, width, height = self.scene()
        ahead = (self.target - self.eye) / np.linalg.norm(self.target - self.eye)
        right = np.cross(ahead, (0.0, 0.0, 1.0))
        right /= np.linalg.norm(right)
        way = np.asarray(point) - self.eye
        scale = 0.5 * height / math.tan(0.5 * FOV) / (way @ ahead)
        return (left + 0.5 * width + scale * (way @ right),
                top + 0.5 * height - scale * (way @ np.cross(right, ahead)))

    def scene(self) -> list[float]:
        """Return the rectangle of the scene: left, top, width, height."""
        return list(self.browser.evaluate(
            """(() => {const [box] = [...document.querySelectorAll('canvas')].map(
            one => one.getBoundingClientRect()).sort((a, b) => b.width - a.width);
            return [box.x, box.y, box.width, box.height];})()"""))

    def drag(self, begin: Any, end: Any, *, hold: Callable[[], None] | None = None,
             shift: bool = False) -> None:
        """Drag from a point of the scene to another; do something before it is let go."""
        places = [self.pixel(begin + part * (np.asarray(end) - begin))
                  for part in (0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0)]
        keys = 8 if shift else 0
        mouse = self.browser.mouse
        mouse('mouseMoved', *places[0], modifiers=keys)
        time.sleep(2.0)   # the scene, drawn by software, notices what is below the mouse
        mouse('mousePressed', *places[0], button='left', clickCount=1, modifiers=keys)
        for place in places[1:]:
            mouse('mouseMoved', *place, button='left', buttons=1, modifiers=keys)
            time.sleep(0.3)
        if hold is not None:
            hold()
        mouse('mouseReleased', *places[-1], button='left', clickCount=1, modifiers=keys)

    def look(self) -> Image.Image:
        """Return what the browser shows."""
        file = self.browser.screenshot(self.downloads / 'shot.png')
        return Image.open(io.BytesIO(file.read_bytes())).convert('RGB')

    def picture(self, name: str, last: str = '', first: str = '') -> None:
        """
        Take a picture: the middle of the scene, and beside it a part of the panel.

        Parameters
        ----------
        name : str
            Of the file.
        last, first : str, optional
            Texts on the panel: the folder in which the part ends, the line with which it begins.

        """
        places = f"""(() => {{
            const named = name => [...document.querySelectorAll('*')].filter(
                one => one.offsetParent && [...one.childNodes].some(
                    node => node.nodeType == 3 && node.textContent.trim() == name)).at(-1);
            const whole = one => {{
                while (one && one.getBoundingClientRect().width < 300) one = one.parentElement;
                return one.getBoundingClientRect();}};
            const first = named({first!r}), last = named({last!r});
            if (first) first.scrollIntoView({{block: 'start'}});
            return [first ? first.getBoundingClientRect().y - 8 : 0,
                    last ? whole(last.parentElement).bottom + 10 : 0];}})()"""
        self.browser.evaluate(places)
        time.sleep(1.0)   # it is drawn
        top, bottom = self.browser.evaluate(places)
        shot = self.look()
        bottom = min(max(bottom, top + LEAST_HEIGHT), SIZE[1])
        top = int(max(min(top, bottom - LEAST_HEIGHT), 0))
        _, upper, width, height = map(int, self.scene())
        edge, rows = int(0.5 * (width - SEEN)), int(bottom) - top
        above = upper + (height - rows) // 2
        both = Image.new('RGB', (SEEN + SIZE[0] - width, rows))
        both.paste(shot.crop((edge, above, edge + SEEN, above + rows)))
        both.paste(shot.crop((width, top, SIZE[0], int(bottom))), (SEEN, 0))
        save(both, name)

    def resize(self, width: int, height: int) -> None:
        """Give the window another size [pixels]."""
        self.browser.call('Emulation.setDeviceMetricsOverride', width=width, height=height,
                          deviceScaleFactor=1, mobile=False)

    def tabs(self, name: str) -> list[Image.Image]:
        """Return all the page with each tab, kept as they are, too; nothing may be cut off."""
        shots = []
        for tab in TABS:
            self.browser.click(tab)
            time.sleep(2.0)   # it is drawn
            wide, high, needed, stop = self.browser.evaluate("""(() => {
                const stop = [...document.querySelectorAll('button')].find(
                    one => one.offsetParent && one.innerText.trim() == 'Stop');
                const box = stop && stop.getBoundingClientRect();
                return [innerWidth, innerHeight, document.documentElement.scrollWidth,
                        box ? [box.left, box.top, box.right, box.bottom] : null];})()""")
            assert needed <= wide, f'{tab}: {needed} pixels wide in a window of {wide}'
            if stop is not None:   # there is a controller
                assert 0 <= stop[0] < stop[2] <= wide, f'{tab}: Stop is at {stop}'
                assert 0 <= stop[1] < stop[3] <= high, f'{tab}: Stop is at {stop}'
            shots.append(self.look())
            LARGE.mkdir(parents=True, exist_ok=True)
            shots[-1].save(LARGE / f'{name}_{tab}.png')
        return shots

    def whole_picture(self, name: str) -> None:
        """Take a picture of all the page, and beside it of the panel with each other tab."""
        shots = self.tabs(name)
        first, panel = shots[0], int(self.scene()[2])
        rest = first.width - panel
        whole = Image.new('RGB', (first.width + rest * (len(shots) - 1), first.height))
        whole.paste(first)
        for k, shot in enumerate(shots[1:]):
            whole.paste(shot.crop((panel, 0, shot.width, shot.height)),
                        (first.width + k * rest, 0))
        scale = WHOLE / whole.width
        save(whole.resize((WHOLE, round(scale * whole.height)), Image.Resampling.LANCZOS), name)

    def close(self) -> None:
        """Leave."""
        self.browser.close()
        shutil.rmtree(self.downloads)


def save(picture: Image.Image, name: str) -> None:
    """Write a small picture of the documentation."""
    file = PICTURES / f'{name}.png'
    picture.quantize(COLORS, kmeans=2, dither=Image.Dither.NONE).save(file, optimize=True)
    size = file.stat().st_size
    print(f'{file.relative_to(ROOT)}: {picture.width} x {picture.height}, {size / 1000:.0f} kB',
          flush=True)
    assert size < MOST_BYTES, f'{name} has {size} bytes, allowed are {MOST_BYTES}'


def shell(command: str) -> str:
    """Run a command as pasted and return what it prints."""
    done = subprocess.run(command, shell=True, text=True, capture_output=True, check=False,
                          timeout=PATIENCE, env={**os.environ, 'PATH': PATH})
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


def rows_of(text: str) -> list[list[str]]:
    """Return the rows of a file of comma-separated values."""
    return list(csv.reader(io.StringIO(text)))


def main() -> None:
    """Take all pictures, or those of the launches that are named."""
    from page_scenes import SCENES
    lock = reserve_domain()   # held until the end
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or SCENES:
        arguments, eye, target, use = SCENES[name]
        with tempfile.TemporaryDirectory(prefix='mbd_ros_pictures_') as folder:
            for start in starting(Path(folder)):
                running = launcher(start)(*arguments, 'rviz:=false', 'port:=8440')
                url = running.wait_for(r'\[viewer\]: look at (http://\S+)')[1]
                graph = Graph()
                person = Person(url, eye, target)
                try:
                    use(person, graph)
                except BaseException:
                    person.browser.screenshot(Path(tempfile.gettempdir(), 'page_failed.png'))
                    print(running.output[-3000:], person.browser.text())
                    raise
                finally:
                    person.close()
                    graph.close()
    os.close(lock)


if __name__ == '__main__':
    main()
