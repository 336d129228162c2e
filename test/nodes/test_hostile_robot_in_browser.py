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


"""A real browser shows a robot and a log whose every name wants to be a script."""

from http.server import BaseHTTPRequestHandler, HTTPServer
import sys
import threading
import time
from xml.sax.saxutils import quoteattr

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from headless_browser import Browser, find_browser
from mbd_msgs.msg import ControllerState
import pytest
from rcl_interfaces.msg import Log, ParameterEvent
from rcl_interfaces.msg import Parameter as ParameterMessage
from sensor_msgs.msg import JointState

pytestmark = [pytest.mark.nodes, pytest.mark.browser, pytest.mark.slow]

TABS = ('Watch', 'Joints', 'Control', 'Show', 'Log')
FORMS = (
    '<img src=x onerror="window.ran=1">', '<img src="{trap}/img.png" onload="window.ran=1">',
    '"><script src="{trap}/a.js"></script><script>window.ran=1</script>',
    '<svg onload=window.ran=1>', '![x]({trap}/picture.png)', '[x](javascript:window.ran=1)',
    '<iframe srcdoc="<script>parent.ran=1</script>">', '<style>@import "{trap}/s.css"</style>',
    '{{window.ran=1}}', "'+(window.ran=1)+'", '<link rel=stylesheet href={trap}/l.css>',
    '</script><script>window.ran=1</script>')


class Trap(HTTPServer):
    """A server that nobody may ask anything."""

    def __init__(self):
        self.asked = asked = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                self.send_error(404)

            def log_message(self, *_):
                pass
        super().__init__(('127.0.0.1', 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


@pytest.fixture
def trap():
    """Return the address of a trap, and what was asked of it."""
    server = Trap()
    yield f'http://127.0.0.1:{server.server_port}', server.asked
    server.shutdown()
    server.server_close()


def description(names):
    """Return a robot whose links, joints, colours and files bear such names, and its joints."""
    links, joints = ['<link name="base"/>'], []
    for k, name in enumerate(names):
        joint = f'{name} {k}'
        joints.append(joint)
        links.append(
            f'<link name={quoteattr("link " + joint)}><inertial><mass value="1"/>'
            '<inertia ixx=".1" ixy="0" ixz="0" iyy=".1" iyz="0" izz=".1"/></inertial>'
            f'<visual name={quoteattr(joint)}><geometry><box size=".1 .1 .1"/></geometry>'
            f'<material name={quoteattr(joint)}><color rgba="1 0 0 1"/></material></visual>'
            f'<visual><geometry><mesh filename={quoteattr("package://" + joint)}/></geometry>'
            f'</visual></link><joint name={quoteattr(joint)} type="revolute">'
            f'<parent link="base"/><child link={quoteattr("link " + joint)}/><axis xyz="0 0 1"/>'
            f'<origin xyz="0 {k} 0"/>'
            '<limit effort="1" velocity="1" lower="-1" upper="1"/></joint>')
    return f'<robot name={quoteattr(names[0])}>{"".join(links)}</robot>', joints


@pytest.mark.skipif(find_browser() is None, reason='no chromium on this machine')
def test_nothing_of_a_hostile_robot_or_log_runs_or_is_fetched(start, graph, trap, tmp_path):
    """Its names, messages, files and parameters are text on every tab of the page."""
    address, asked = trap
    names = [form.replace('{trap}', address) for form in FORMS]
    text, joints = description(names)
    file = tmp_path / 'hostile.urdf'
    file.write_text(text)
    viewer = start(sys.executable, '-m', 'mbd_ros.nodes.viewer', '--ros-args',
                   '-p', f'robot_description:={file}', '-p', 'port:=8560')
    url = viewer.wait_for(r'look at (http://127.0.0.1:\d+)').group(1)
    node = graph.node
    states = node.create_publisher(JointState, 'joint_states', 10)
    log = node.create_publisher(Log, '/rosout', 10)
    events = node.create_publisher(ParameterEvent, '/parameter_events', 10)
    how = node.create_publisher(DiagnosticArray, '/diagnostics', 10)
    modes = node.create_publisher(ControllerState, 'controller/state', 10)

    def send():
        stamp = node.get_clock().now().to_msg()
        state = JointState(name=joints, position=[0.1] * len(joints),
                           velocity=[0.0] * len(joints), effort=[0.1] * len(joints))
        state.header.stamp = stamp
        states.publish(state)
        for name in names:
            log.publish(Log(stamp=stamp, level=40, name=name, msg=f'said: {name}', file=name,
                            function=name, line=1))
            events.publish(ParameterEvent(stamp=stamp, node=name, changed_parameters=[
                ParameterMessage(name=name)]))
            how.publish(DiagnosticArray(status=[DiagnosticStatus(
                name=name, message=name, hardware_id=name, level=b'\x02',
                values=[KeyValue(key=name, value=name)])]))
            told = ControllerState(message=name, mode=ControllerState.MODE_HOLDING)
            told.header.stamp = stamp
            modes.publish(told)
    node.create_timer(0.5, send)
    browser = Browser(url)
    try:
        browser.wait_for_text('Log', 180.0)
        seen = ''
        for tab in TABS:
            browser.click(tab)
            time.sleep(2.0)
            seen += browser.text()
            assert browser.evaluate('window.ran') is None, tab
        assert 'onerror' in seen and 'said: ' in seen   # the names are shown, so this tells
        foreign = browser.evaluate(
            'performance.getEntriesByType("resource").map(one => one.name).filter('
            'one => !one.startsWith(location.origin) && !one.startsWith("blob:")'
            ' && !one.startsWith("data:"))')
        assert foreign == []
        browser.screenshot(tmp_path / 'hostile.png')
        assert browser.evaluate('window.ran') is None
    finally:
        browser.close()
    assert asked == []
