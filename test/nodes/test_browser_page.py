"""The page as a browser shows it while the demo runs: robot, paths, plot, readouts, controls."""

import time

from headless_browser import Browser, find_browser
import numpy as np
from PIL import Image
import pytest

pytestmark = [pytest.mark.nodes, pytest.mark.browser, pytest.mark.slow]

SCENE = (slice(200, 900), slice(0, 1010))   # rows and columns left of the panel, under the notice
PANEL = (slice(0, 900), slice(1015, 1400))
PLOT = (slice(360, 720), slice(1015, 1400))


@pytest.fixture
def picture(launch, tmp_path):
    """Return a function that starts the demo, waits and returns what the page looks like."""
    browsers = []

    def take(*arguments):
        running = launch('track.launch.py', 'rviz:=false', 'port:=8420', *arguments)
        url = running.wait_for(r'\[viewer\]: look at (http://127.0.0.1:\d+)').group(1)
        running.wait_for(r'\[controller\]: tracking')
        browser = Browser(url)
        browsers.append(browser)
        browser.wait_for_text('nominal model off the path', 180.0)
        text = settled(browser)
        shot = browser.screenshot(tmp_path / 'page.png')
        return np.asarray(Image.open(shot).convert('RGB')).astype(int), text, browser
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


def count(picture, region, condition):
    red, green, blue = (picture[region][..., channel] for channel in range(3))
    return int(condition(red, green, blue).sum())


@pytest.mark.skipif(find_browser() is None, reason=(
    'no chromium on this machine: the one test that looks at the page in a browser did not run'))
def test_a_browser_shows_robot_paths_and_plot_and_changes_gains(picture, tmp_path):
    pixels, text, browser = picture()
    assert 'three_link_arm · tracking' in text
    for part in ('Tracking error', 'Joint efforts', 'desired path', 'traced path',
                 'constraint force', 'joint1', 'joint2', 'joint3'):
        assert part in text

    # The traced path is drawn in a colour of its own, thin lines of red; the tool's tip is red.
    assert count(pixels, SCENE, lambda r, g, b: (r > 170) & (g < 150) & (r - b > 70)) > 300
    # The tube of the desired path: green over white.
    assert count(pixels, SCENE, lambda r, g, b: (g - r > 15) & (g - b > 8) & (g > 90)) > 500
    # The joints of the arm are orange, its links light grey against a white ground.
    assert count(pixels, SCENE, lambda r, g, b: (r > 150) & (r - g > 40) & (g - b > 40)) > 800
    assert count(pixels, SCENE, lambda r, g, b: (
        (abs(r - g) < 12) & (b - r < 25) & (r > 120) & (r < 232))) > 5000
    # The plot's line in the colour of the traced path, nearly pure: 2D drawing has no light.
    assert count(pixels, PLOT, lambda r, g, b: (
        (abs(r - 224) < 40) & (abs(g - 58) < 60) & (abs(b - 40) < 60))) > 150
    # The efforts of the three joints below it: blue, orange, green.
    for colour in ((31, 119, 180), (242, 142, 43), (44, 160, 120)):
        assert count(pixels, PANEL, lambda r, g, b, c=colour: (
            (abs(r - c[0]) < 30) & (abs(g - c[1]) < 30) & (abs(b - c[2]) < 30))) > 60

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
