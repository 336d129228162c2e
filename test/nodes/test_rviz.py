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

"""RViz with the shipped configuration shows every robot of every launch file, no complaints."""

from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from graphs import Graph
from mbd_msgs.msg import ControllerState, LinkWrench
import numpy as np
import pytest
from rcl_interfaces.srv import GetParameters
from rclpy.parameter import parameter_value_to_python
from rclpy.time import Time
from rviz_camera import SIZE
from rviz_client import RvizClient
from rviz_picture import draw
from rviz_shapes import applied, pose_of
from sensor_msgs.msg import JointState
from transforms3d.affines import compose
from transforms3d.axangles import axangle2mat
import trimesh

from mbd_ros.description.urdf.visuals import read_visuals
from mbd_ros.description.xml.packages import packages_of
from mbd_ros.nodes import launching

pytestmark = [pytest.mark.nodes, pytest.mark.slow]

PICTURES = Path(__file__).resolve().parents[2] / 'build' / 'rviz'
"""Kept to be looked at; not in git."""
LEFT = np.array([0.0, 1.0, 0.0])
SILENT = ('viewer:=false', 'rviz:=false')
LONGEST = 240.0   # s: many processes begin at once; only a hang exceeds it
ROBOT, TARGETS, HANDS = 'Robot', 'Targets to drag', 'Links to push'
JOINTS = 'Joints to move'
SIMULATED = {ROBOT, HANDS}
PATHS = {'Desired path', 'Traced path'}
"""Switched off in the configuration, since markers draw the same; a user may tick them."""
FOLLOWED = {*SIMULATED, *PATHS, TARGETS,
            'Paths of all tools, error, violation, constraint force, manifold'}
BENT, WATER, GROUND = 'Links that bend', 'Ground forces, current, surface', 'Ground'
SHOWN = {
    **{('track', robot, 'base_link'): FOLLOWED for robot in (
        'three_link_arm', 'puma560', 'panda', 'dual_arm')},
    **{('track', robot, 'base'): FOLLOWED for robot in ('five_bar', 'delta')},
    ('track', 'space_robot', 'world'): FOLLOWED,
    ('flexible', 'flexible_arm', 'base'): {*FOLLOWED, BENT},
    **{('loops', robot, 'base'): SIMULATED for robot in (
        'four_bar', 'slider_crank', 'bricard', 'stewart')},
    ('modules', 'nine_modules', 'world'): SIMULATED,
    ('swim', 'nine_modules', 'world'): {*SIMULATED, WATER},
    ('swim', 'quadruped', 'world'): {*SIMULATED, WATER, GROUND},
    ('swim', 'rov', 'world'): {*FOLLOWED, WATER},
}
"""
Launch file, robot and fixed frame, and which displays draw something.

Every robot and every launch file; five_bar, delta, flexible_arm and quadruped are in two.
"""


@pytest.mark.parametrize(('name', 'robot', 'frame'), SHOWN)
def test_rviz_shows_a_robot_and_complains_of_nothing(launch, graph, name, robot, frame):
    value = {'robot': robot, 'description': '', 'trusted': 'false', 'frame_prefix': ''}
    config, fixed = launching.rviz_config(value, 'world' if frame == 'world' else '')
    assert fixed == frame
    rviz = RvizClient(graph, frame, ticked=PATHS, config=config)
    one_process = ['composed:=true'] if name == 'track' else []
    launch(f'{name}.launch.py', f'robot:={robot}', *one_process, *SILENT)
    rviz.show(SHOWN[name, robot, frame], LONGEST)
    solids, lines = rviz.scene()
    assert solids
    assert len(lines) >= len(SHOWN[name, robot, frame] - {*SIMULATED, GROUND, WATER})
    draw(solids, lines, rviz.camera, PICTURES / f'{name}_{robot}.png')
    assert_in_the_picture(rviz)
    assert_hands_are_on_their_links(rviz)
    assert_links_look_as_on_the_page(rviz, launching.robot_or_modules(value))


def corners(solids):
    """Return where the corners of shapes are, (n, 3) [m]."""
    return np.concatenate([solid.triangles().reshape(-1, 3) for solid in solids])


def assert_in_the_picture(rviz):
    """Assert that the camera shows the robot, large enough, its targets and its path."""
    camera, robot = rviz.camera, corners(rviz.displays[ROBOT].solids())
    assert camera.shows(robot).mean() > 0.98   # a foot may stand at the edge
    places, _ = camera.seen(robot)
    assert max(np.ptp(places, axis=0) / SIZE) > 0.2   # of width or height: more than a speck
    targets = rviz.displays[TARGETS]
    for name in targets.markers:
        assert camera.shows(corners(targets.solids_of(name))).all(), name
    for line in (*targets.lines(), *rviz.displays['Desired path'].lines()):
        assert camera.shows(line.points).all()


def assert_hands_are_on_their_links(rviz):
    """Assert that a hand is its link, a little larger; once they were turned to the camera."""
    hands, links = rviz.displays[HANDS], rviz.displays[ROBOT].by_link()
    assert hands.markers

    def apart(name):
        """Return how far a hand reaches beyond its link in its axes, in terms of its size."""
        place = np.linalg.inv(rviz.transform(name, Time()))
        link, hand = (applied(place, corners(one)) for one in (
            rviz.displays[ROBOT].by_link()[name], hands.solids_of(name)))
        return max(abs(hand.max(0) - link.max(0)).max(), abs(hand.min(0) - link.min(0)).max()) / (
            np.ptp(link, axis=0).max())

    for name in hands.markers:
        if name in links and hands.solids_of(name):   # meshes are not drawn here
            # The robot moves between looks; a hand is 2 % and 4 mm larger, of links of 1 cm on.
            rviz.graph.wait_until(lambda name=name: apart(name) < 0.5, f'a hand on {name}', 20.0)


def assert_links_look_as_on_the_page(rviz, mechanism):
    """Assert that the first shape, whose colour RViz takes, has that of most of its link."""
    shown = {}
    for shape in read_visuals(mechanism, find_package=packages_of(
            mechanism, get_package_share_directory))[0]:
        shown.setdefault(shape.link, []).append(shape.color[:3])
    for link, solids in rviz.displays[ROBOT].by_link().items():
        colors = shown.get(link, [])
        if len(solids) != len(colors):
            continue   # the page makes one capsule of a tube and its ends
        areas = {}
        for solid, color in zip(solids, colors):
            edges = np.diff(solid.triangles(), axis=1)
            area = 0.5 * np.linalg.norm(np.cross(edges[:, 0], edges[:, 1]), axis=1).sum()
            areas[color] = areas.get(color, 0.0) + area
        np.testing.assert_allclose(solids[0].color[:3], colors[0], atol=0.01, err_msg=link)
        # Less than half is right for a shoulder in the colour of its arm.
        assert areas[colors[0]] > 0.4 * max(areas.values()), link


ARM = """<robot name="my_arm"><link name="floor"/>
  <joint name="turn" type="revolute"><parent link="floor"/><child link="tool"/>
    <axis xyz="0 0 1"/><limit effort="50" velocity="3" lower="-3" upper="3"/></joint>
  <link name="tool"><inertial><mass value="1"/><origin xyz="0.3 0 0"/>
      <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>
    <visual><geometry><mesh filename="package://my_robots/meshes/arm.stl" scale="1 1 2"/>
      </geometry></visual></link></robot>"""


def test_meshes_come_by_package_as_the_users_own_description_says(
        launch, graph, tmp_path, monkeypatch):
    """The description reaches RViz as it was written."""
    share = tmp_path / 'share' / 'my_robots'
    index = tmp_path / 'share' / 'ament_index' / 'resource_index' / 'packages'
    for folder in (share / 'meshes', index):
        folder.mkdir(parents=True)
    (index / 'my_robots').touch()
    trimesh.creation.box((0.6, 0.1, 0.1)).export(share / 'meshes' / 'arm.stl')
    robot = share / 'arm.urdf'
    robot.write_text(ARM)
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path), prepend=':')
    rviz = RvizClient(graph, 'floor')
    launch('track.launch.py', f'description:={robot}', 'composed:=true', *SILENT)
    rviz.show({*SIMULATED, TARGETS}, LONGEST)
    (mesh,) = [one for one in rviz.scene()[0] if one.kind == 'mesh']
    (hand,) = rviz.displays[HANDS].markers['tool'].controls[0].markers
    assert hand.mesh_resource == (share / 'meshes' / 'arm.stl').as_uri()
    size = np.ptp(mesh.triangles().reshape(-1, 3) @ mesh.pose[:3, :3], axis=0)
    assert size == pytest.approx([0.6, 0.1, 0.2], abs=1e-6)   # STL has float32
    draw(*rviz.scene(), rviz.camera, PICTURES / 'my_arm.png')


def turned(pose, angle):
    """Return the pose (4, 4) of a marker, turned about its z axis."""
    return pose_of(pose) @ compose(np.zeros(3), axangle2mat([0.0, 0.0, 1.0], angle), np.ones(3))


def test_what_is_dragged_is_where_the_robot_goes(launch, patient):
    """In a namespace, which RViz has from the launch file; its configuration knows of none."""
    graph = Graph('left')
    try:
        rviz = RvizClient(graph, 'base_link', ticked=[JOINTS, *PATHS])
        targets = rviz.displays[TARGETS]
        running = launch('track.launch.py', 'namespace:=left', 'composed:=true',
                         patient('three_link_arm'), *SILENT)
        states = graph.hear(ControllerState, 'controller/state', 100)
        rviz.show(FOLLOWED, LONGEST)
        assert list(targets.markers) == ['tool']

        def apart(place):
            """Return how far the tool, and its target, are from a place [m]."""
            at = targets.markers['tool'].pose.position
            return [np.linalg.norm(here - np.array(place)) for here in (
                rviz.transform('tool', Time())[:3, 3], (at.x, at.y, at.z))]

        def goes_on():
            count = len(states)
            graph.wait_until(lambda: len(states) > count + 20, 'the controller goes on')
            return states[-1].mode == ControllerState.MODE_TRACKING

        targets.drag('tool')   # a click
        assert goes_on()
        aim = [1.0, 0.7, 1.2]
        targets.drag('tool', [1.1, 0.6, 1.2], aim)
        graph.wait_until(lambda: apart(aim)[1] < 1e-12, 'the target stays where it was let go')
        # Within the parameter tool_goal_tolerance, 5 mm, the goal is reached; it rests there.
        graph.wait_until(lambda: max(apart(aim)) < 5e-3, 'tool and target are there')
        rviz.show(FOLLOWED, LONGEST)

        targets.drag('tool', [9.0, 9.0, 9.0])
        running.wait_for(r'follow_path rejected: .*')
        graph.wait_until(lambda: max(apart(aim)) < 5e-3, 'the target is back at the tool')
        draw(*rviz.scene(), rviz.camera, PICTURES / 'dragged.png')

        joints = rviz.displays[JOINTS]
        assert list(joints.markers) == ['joint1', 'joint2', 'joint3']
        positions = graph.hear(JointState, 'joint_states', 100)
        graph.wait_until(lambda: positions, 'joint states')
        begin = np.array(positions[-1].position)
        joints.drag('joint1', turned(joints.markers['joint1'].pose, 0.4))

        def turn():
            """Return by how much the joints have turned [rad]."""
            return np.array(positions[-1].position) - begin
        # Half of the parameter goal_tolerance, 0.01 rad, within which it is reached.
        graph.wait_until(lambda: abs(turn() - (0.4, 0.0, 0.0)).max() < 5e-3, 'the joint is there')

        def parameter(name):
            answer = graph.call(GetParameters, 'controller/get_parameters',
                                GetParameters.Request(names=[name]))
            return parameter_value_to_python(answer.values[0])
        bandwidth = parameter('bandwidth')
        joints.choose('joint2', 'stiffer')
        graph.wait_until(lambda: parameter('bandwidth') == 1.25 * bandwidth, 'it is stiffer')
        targets.choose('tool', 'Moon')
        graph.wait_until(lambda: parameter('gravity') == [0.0, 0.0, -1.62], 'it is on the moon')
        targets.choose('tool', '0.5 kg')
        running.wait_for(r'payload: 0\.5 kg on tool')
        joints.choose('joint3', '5 kg')
        running.wait_for(r'payload: 5 kg on link3')
        targets.choose('tool', 'Stop')
        running.wait_for(r'an empty trajectory was received')
        assert not rviz.problems
    finally:
        graph.close()


def test_a_link_is_pushed_and_the_simulation_has_a_menu(launch, graph, patient):
    rviz = RvizClient(graph, 'base_link', ticked=PATHS)
    launch('track.launch.py', 'composed:=true', patient('three_link_arm'), *SILENT)
    rviz.show(FOLLOWED, LONGEST)
    hands = rviz.displays[HANDS]
    assert list(hands.markers) == ['link1', 'link2', 'link3', 'tool']
    states = graph.hear(JointState, 'joint_states', 100)
    pushes = graph.hear(LinkWrench, 'simulator/push', 100)

    def moves():
        count = len(states)
        graph.wait_until(lambda: len(states) > count + 5, 'states')
        return np.ptp([one.position for one in states[-5:]], axis=0).max() > 0.0

    def parameter(name):
        answer = graph.call(GetParameters, '/simulator/get_parameters',
                            GetParameters.Request(names=[name]))
        return parameter_value_to_python(answer.values[0])

    hands.choose('link3', 'Pause')
    graph.wait_until(lambda: not moves(), 'it is paused')
    hands.choose('link3', '2 kg')
    graph.wait_until(lambda: parameter('payload.mass') == 2.0, 'it carries something')
    assert parameter('payload.link') == 'link3'
    hands.choose('link3', 'Moon')
    graph.wait_until(lambda: parameter('gravity') == [0.0, 0.0, -1.62], 'it is on the moon')
    hands.choose('link3', 'Slower')
    graph.wait_until(lambda: parameter('real_time_factor') == 0.5, 'it is slower')

    left = rviz.transform('link3', Time())[:3, :3].T @ LEFT   # in the frame of its link
    hands.drag('link3', 0.1 * left, 0.3 * left, hold=lambda: (
        graph.wait_until(lambda: len([one for one in pushes if one.wrench.force.y > 50.0]) > 3,
                         'it is pushed')))
    graph.wait_until(lambda: pushes[-1].duration.nanosec == 0, 'it is let go')
    # By 200 N/m, the default of push_stiffness, over 0.3 m; the robot stands still.
    assert max(one.wrench.force.y for one in pushes) == pytest.approx(60.0, rel=1e-6)
    assert {one.link for one in pushes} == {'link3'}

    hands.choose('link3', 'Go on')
    graph.wait_until(moves, 'it goes on')
    assert not rviz.problems
