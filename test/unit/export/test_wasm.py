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

"""Robots as WebAssembly, in a browser's engine: by the module of JavaScript, and in the page."""

import base64
import json
from pathlib import Path
import time

from exported import export, ours, state_of
from headless_browser import Browser, find_browser
import numpy as np
import pytest

import mbd_ros
from mbd_ros.cli.command import main
from mbd_ros.dynamics.loops.efforts import loop_efforts
from mbd_ros.export.target import WEB

URDF = Path(__file__).resolve().parents[3] / 'urdf'
pytestmark = pytest.mark.skipif(find_browser() is None, reason='make browser installs Chromium')
HOSTILE = '</script><img src=x onerror=window.broken=1>'


@pytest.fixture(scope='module')
def engine():
    browser = Browser('about:blank')
    yield browser
    browser.close()


def opened(engine, library):
    """Load a library; its functions are ``dynamics`` in the page."""
    stem = library.static.parent / library.static.stem.removeprefix('lib')
    code, text = (base64.b64encode(stem.with_suffix(end).read_bytes()).decode()
                  for end in ('.wasm', '.mjs'))
    return engine.evaluate(f"""(async () => {{
        const module = await import('data:text/javascript;base64,{text}');
        window.robot = module.robot;
        const bytes = Uint8Array.from(atob('{code}'), (one) => one.charCodeAt(0));
        window.dynamics = await module.load(bytes);
        return Object.keys(dynamics).length; }})()""")


def called(engine, name, *arrays):
    """Return the numbers of a function, or what it throws."""
    given = json.dumps([None if one is None else list(map(float, one)) for one in arrays])
    return engine.evaluate(f"""(() => {{ try {{
        return [...dynamics[{json.dumps(name)}](...{given})]; }}
        catch (error) {{ return error.message; }} }})()""")


@pytest.mark.parametrize(('robot', 'functions'), [
    ('panda.urdf', ('forward_dynamics', 'regressor')),
    ('four_bar.urdf', ('all',)),
    ('rov.urdf', ('forward_dynamics', 'body_poses', 'configuration_step')),
    ('flexible_arm.urdf', ('mass_matrix',))])
def test_values_are_those_of_python(engine, tmp_path, robot, functions):
    model = mbd_ros.load(URDF / robot)
    library = export(model, tmp_path / 'web', functions, target=WEB)
    assert opened(engine, library) == len(library.functions)
    given = state_of(model, 4)
    for symbol, function in library.functions:
        right = np.ravel(ours(model, function, given))
        found = called(engine, symbol.removeprefix(f'{library.name}_'),
                       *(given[name] for name, _ in function.inputs))
        assert not isinstance(found, str), (symbol, found)
        # 1e-12 of the largest entry: engines do not fuse products and sums, which this processor
        # does, and mass matrices have conditions of a few thousand, as for other processors.
        assert np.abs(found - right).max() <= 1e-12 * max(1.0, np.abs(right).max()), symbol


def test_what_is_wrong_is_thrown(engine, tmp_path):
    model = mbd_ros.load(URDF / 'three_link_arm.urdf')
    library = export(model, tmp_path / 'web', ('inverse_dynamics',), target=WEB, parameters=True)
    opened(engine, library)
    q, v, a = np.eye(3)
    usual = called(engine, 'inverse_dynamics', q, v, a)
    assert called(engine, 'inverse_dynamics', q, v, a, [0.0, 0.0, -9.81]) == usual
    assert called(engine, 'inverse_dynamics', q, v, a, np.zeros(3)) == pytest.approx(
        mbd_ros.inverse_dynamics(model, q, v, a, gravity=np.zeros(3)), abs=1e-14)   # roundings
    assert called(engine, 'inverse_dynamics', q, v) == 'qdd: 3 numbers, not 0'
    assert called(engine, 'inverse_dynamics', q, v, a[:2]) == 'qdd: 3 numbers, not 2'
    assert 'NaN or infinity' in called(engine, 'inverse_dynamics', q, [1e999, 0, 0], a)
    assert 'NaN or infinity' in engine.evaluate(
        'try { dynamics.inverse_dynamics([0, 0, NaN], [0, 0, 0], [0, 0, 0]) }'
        'catch (error) { error.message }')


@pytest.fixture
def page(tmp_path):
    browsers = []

    def show(file, *words):
        out = tmp_path / 'page.html'
        assert main(['view', str(file), '--static', str(out), *words]) == 0
        browsers.append(Browser(out.as_uri(), (1280, 720)))
        end = time.monotonic() + 120.0
        while not browsers[-1].evaluate('!!window.shown'):
            assert time.monotonic() < end, browsers[-1].text()
            time.sleep(0.2)
        return browsers[-1], out
    yield show
    for one in browsers:
        one.close()


def test_a_page_moves_the_robot_by_itself(page, tmp_path):
    browser, file = page(URDF / 'panda.urdf')
    assert file.stat().st_size < 5e6
    model = mbd_ros.load(URDF / 'panda.urdf')
    browser.evaluate("""(() => { const slider = document.querySelectorAll('input[type=range]')[1];
        slider.value = 0.7; slider.dispatchEvent(new Event('input')); })()""")
    q = np.array(browser.evaluate('[...shown.q]'))
    assert q[1] == pytest.approx(0.7, abs=1e-6)   # as a slider keeps it
    efforts = browser.evaluate("""[...document.querySelectorAll('.row')].filter(
        (row) => row.querySelector('b')).map((row) => parseFloat(row.textContent.slice(6)))""")
    assert efforts == pytest.approx(mbd_ros.inverse_dynamics(model, q, 0 * q, 0 * q), abs=0.0051)
    before = np.array(browser.evaluate('shown.placeOf(shown.tips[0])'))
    assert before == pytest.approx(mbd_ros.link_poses(model, q)['tool'][:3, 3], abs=1e-12)
    wanted = before + np.array([0.05, -0.08, 0.04])
    browser.evaluate(f'shown.reach({wanted.tolist()})')
    q = np.array(browser.evaluate('[...shown.q]'))
    # 1e-5 of the robot's size, as reach says.
    assert mbd_ros.link_poses(model, q)['tool'][:3, 3] == pytest.approx(wanted, abs=2e-5)
    assert (q >= model.lower).all() and (q <= model.upper).all()
    browser.evaluate('shown.show()')
    x, y = browser.evaluate("""(() => { const place = new THREE.Vector3(
        ...shown.placeOf(shown.tips[0])).project(camera);
        return [innerWidth * (1 + place.x) / 2, innerHeight * (1 - place.y) / 2]; })()""")
    browser.drag([(x, y), (x + 20, y), (x + 40, y - 30)])
    moved = np.array(browser.evaluate('[...shown.q]'))
    assert np.abs(moved - q).max() > 0.01
    assert browser.evaluate('controls.enabled')
    browser.screenshot(tmp_path / 'page.png')


def test_a_page_keeps_loops_closed(page):
    browser, _ = page(URDF / 'four_bar.urdf')
    model = mbd_ros.load(URDF / 'four_bar.urdf')
    browser.evaluate("""(() => { const slider = document.querySelector('input[type=range]');
        slider.value = 0.4; slider.dispatchEvent(new Event('input')); })()""")
    q = np.array(browser.evaluate('[...shown.q]'))
    assert np.abs(q).max() > 0.1
    # 1e-8: correction ends below 1e-9 by its last step.
    assert mbd_ros.close_loops(model, q, 0 * q)[0] == pytest.approx(q, abs=1e-8)
    for driven in (['crank_joint'], ['coupler_joint', 'rocker_joint']):   # at first, and chosen
        assert browser.evaluate('shown.page.efforts.filter((one) => one.driven)'
                                '.map((one) => one.name)') == driven
        right = loop_efforts(model, q, 0 * q, 0 * q, actuated=driven).efforts
        # 1e-7 of some N m: the loop is open by 1e-9, another rounding of rank.
        assert browser.evaluate('[...shown.efforts()]') == pytest.approx(right, abs=1e-7)
        browser.evaluate('document.querySelectorAll("span > input").forEach((one) => one.click())')


BENDING = """<robot name="rod" xmlns:mbd="urn:mbd_ros">
  <link name="base"/><link name="rod"><inertial>
  <origin xyz="0.4 0 0"/><mass value="1"/><inertia ixx="0.001" ixy="0" ixz="0" iyy="0.05" iyz="0"
  izz="0.05"/></inertial><mbd:flexible><beam length="0.8" section="tube 0.025 0.022"
  material="7e9 3e9 2700" modes="0 1 0" damping_ratio="0.01"/></mbd:flexible></link>
  <link name="tip"><inertial><mass value="2"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01"
  iyz="0" izz="0.01"/></inertial></link><joint name="hinge" type="revolute"><parent link="base"/>
  <child link="rod"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="40" velocity="1"/>
  </joint><joint name="mount" type="fixed"><origin xyz="0.8 0 0"/><parent link="rod"/>
  <child link="tip"/></joint></robot>"""


def test_a_page_bends_what_bends(page, tmp_path):
    file = tmp_path / 'rod.urdf'
    file.write_text(BENDING)
    browser, _ = page(file)
    model = mbd_ros.load(file)
    browser.evaluate("""(() => { const slider = document.querySelector('input[type=range]');
        slider.value = 0.3; slider.dispatchEvent(new Event('input')); })()""")
    q = np.array(browser.evaluate('[...shown.q]'))
    efforts = mbd_ros.inverse_dynamics(model, q, 0 * q, 0 * q)
    assert q[0] == pytest.approx(0.3) and abs(q[1]) > 1e-3   # it bends by millimetres
    assert efforts[1:] == pytest.approx(0.0, abs=1e-6)       # of 26 N: nothing drives its shapes
    assert browser.evaluate('[...shown.efforts()]') == pytest.approx(efforts, abs=1e-6)
    drawn = browser.evaluate('scene.getObjectByName(shown.page.links.at(-1).node)'
                             '?.matrix.elements ?? shown.placeOf(shown.tips[0])')
    place = drawn[12:15] if len(drawn) == 16 else drawn
    assert place == pytest.approx(mbd_ros.pose(model, q, 'tip')[:3, 3], abs=1e-9)


def test_names_of_a_description_do_not_become_part_of_the_page(page, tmp_path):
    text = (URDF / 'three_link_arm.urdf').read_text()
    escaped = HOSTILE.replace('<', '&lt;').replace('>', '&gt;')
    file = tmp_path / 'robot.urdf'
    file.write_text(text.replace('"three_link_arm"', f'"{escaped}"')
                    .replace('"joint1"', f'"{escaped}1"').replace('"tool"', f'"{escaped}2"'))
    browser, _ = page(file)
    time.sleep(0.5)
    assert HOSTILE in browser.text()
    assert browser.evaluate('window.broken') is None
