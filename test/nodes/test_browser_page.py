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

"""The page as a browser shows it while the demo runs: robot, paths, plot, readouts, controls."""

import time

from headless_browser import Browser, find_browser, PATIENCE
import numpy as np
from PIL import Image
import pytest

from mbd_ros.description.urdf.visuals import Shape
from mbd_ros.nodes.page.dragged_point import DraggedPoint
from mbd_ros.nodes.page.page import Page

pytestmark = [pytest.mark.nodes, pytest.mark.browser, pytest.mark.slow]

SCENE = (slice(200, 900), slice(0, 1010))   # rows and columns left of the panel, under the notice
PANEL = (slice(0, 900), slice(1015, 1400))


@pytest.fixture
def page(launch):
    """Return a function that starts the demo, waits and returns the page and its text."""
    browsers = []

    def take():
        running = launch('track.launch.py', 'rviz:=false', 'port:=8420')
        url = running.wait_for(r'\[viewer\]: look at (http://127.0.0.1:\d+)').group(1)
        running.wait_for(r'\[controller\]: tracking')
        browser = Browser(url)
        browsers.append(browser)
        browser.wait_for_text('tracking error', 180.0)
        return browser, settled(browser)
    yield take
    for browser in browsers:
        browser.close()


def settled(browser):
    """Wait until the page shows some seconds of tracking; return its text."""
    end = time.monotonic() + 180.0
    while time.monotonic() < end:
        time.sleep(1.0)
        text = browser.text()
        # a machine that is busy just then keeps the controller from the path for a moment
        if path_time(text) > 7.0 and error(text) < 1.0:
            return text
    raise AssertionError(f'the page shows no tracking: {text}')


def error(text):
    """Return the tracking error on the page [mm]."""
    return float(text.split('tracking error')[1].split('mm')[0])


def path_time(text):
    words = text.replace('\t', ' ').replace('\n', ' ').split()
    for index in range(len(words) - 2):
        if words[index:index + 2] == ['path', 'time']:
            return float(words[index + 2])
    return -1.0


def wait_for_colours(browser, file, region, **expected):
    """
    Wait until a region of the page has more pixels of some colours than are asked for.

    Software draws the page, on a busy machine seconds after its text: one look is not enough.

    """
    end = time.monotonic() + PATIENCE
    while True:
        picture = np.asarray(Image.open(browser.screenshot(file)).convert('RGB')).astype(int)
        channels = [picture[region][..., channel] for channel in range(3)]
        found = {name: int(condition(*channels).sum())
                 for name, (condition, _) in expected.items()}
        if all(found[name] > least for name, (_, least) in expected.items()):
            return
        assert time.monotonic() < end, f'pixels of each colour: {found}; see {file}'
        time.sleep(1.0)


def near(*colour, by):
    """Return a condition on pixels: each channel is within a distance of a colour's."""
    return lambda *pixel: np.all([abs(one - to) < by for one, to in zip(pixel, colour)], axis=0)


@pytest.mark.skipif(find_browser() is None, reason=(
    'no chromium on this machine: the one test that looks at the page in a browser did not run'))
def test_a_browser_shows_robot_paths_and_plot_and_changes_gains(page, tmp_path):
    browser, text = page()
    assert 'three_link_arm · tracking' in text
    for part in ('Tracking error', 'Joint efforts', 'desired path', 'traced path',
                 'constraint force', 'joint1', 'joint2', 'joint3'):
        assert part in text

    wait_for_colours(
        browser, tmp_path / 'page.png', SCENE,
        # Thin lines of red, and the tool's tip.
        traced=(lambda r, g, b: (r > 170) & (g < 150) & (r - b > 70), 300),
        # The tube of the desired path: green over white.
        desired=(lambda r, g, b: (g - r > 15) & (g - b > 8) & (g > 90), 500),
        # The joints of the arm are orange, its links light grey against a white ground.
        joints=(lambda r, g, b: (r > 150) & (r - g > 40) & (g - b > 40), 800),
        links=(lambda r, g, b: (abs(r - g) < 12) & (b - r < 25) & (r > 120) & (r < 232), 5000))
    # The plots' lines are nearly pure: 2D drawing has no light.
    browser.show('Tracking error')
    wait_for_colours(browser, tmp_path / 'error.png', PANEL,
                     traced=(near(224, 58, 40, by=40), 150))
    browser.show('Joint efforts')
    wait_for_colours(browser, tmp_path / 'efforts.png', PANEL,
                     joint1=(near(31, 119, 180, by=30), 60),
                     joint2=(near(242, 142, 43, by=30), 60),
                     joint3=(near(44, 160, 120, by=30), 60))

    # Controls: each shows what it calls, and what became of it.
    browser.click('Control')
    browser.click('Gains')
    browser.fill('bandwidth', '25')
    browser.wait_for_text('ros2 param set /controller bandwidth 25.0', 60.0)
    browser.wait_for_text('\nset', 60.0)
    browser.fill('bandwidth', '-3')
    browser.wait_for_text('not sent: a number from', 60.0)
    browser.screenshot(tmp_path / 'gains.png')
    assert error(settled(browser)) < 1.0   # it goes on along the path


@pytest.mark.skipif(find_browser() is None, reason='no chromium on this machine')
def test_arrows_inside_a_link_are_grabbed_and_links_are_when_there_are_none():
    """The link's drag would take the mouse from what is inside it, or behind."""
    page, pushed, dropped = Page('127.0.0.1', 8421), [], []
    target = DraggedPoint(page, '/target', dropped.append)
    box = Shape('hand', 'box', (3.0, 3.0, 3.0), np.eye(4), (0.5, 0.5, 0.5, 1.0))
    for _ in range(2):   # the second robot is looked at
        page.show_robot([box], {'hand': np.eye(4)})
        page.on_drag('shift', lambda link, event: pushed.append((link, event.phase)))
    target.show(np.zeros(3))
    browser = Browser(f'{page.url}/?initialCameraPosition=6,0,0&initialCameraLookAt=0,0,0'
                      '&initialCameraUp=0,0,1&initialCameraFov=0.7', (800, 600))

    def drag(found, *, shift):
        """Drag from amid the upper arrow, a third of its length up, until something is heard."""
        x, y, width, height = browser.evaluate(
            """(() => {const [box] = [...document.querySelectorAll('canvas')].map(
            one => one.getBoundingClientRect()).sort((a, b) => b.width - a.width);
            return [box.x, box.y, box.width, box.height];})()""")
        pixels = 0.5 * height / np.tan(0.35) / 6.0   # of a metre
        way = [(x + 0.5 * width, y + 0.5 * height - pixels * up)
               for up in page.size * np.linspace(0.12, 0.5, 6)]
        end = time.monotonic() + PATIENCE
        while not found:
            assert time.monotonic() < end
            browser.mouse('mouseMoved', *way[0], modifiers=8 if shift else 0)
            time.sleep(2.0)   # software draws what is below the mouse
            browser.drag(way, shift=shift)
            time.sleep(2.0)
    try:
        browser.wait_for_text('mbd_ros', PATIENCE)
        drag(dropped, shift=False)
        assert dropped[-1] == pytest.approx([0.0, 0.0, dropped[-1][2]], abs=1e-6)
        assert dropped[-1][2] > 0.1 * page.size
        assert not pushed
        target.show(None)
        drag(pushed, shift=True)
        assert pushed[0] == ('hand', 'start')
    finally:
        browser.close()
        page.close()
