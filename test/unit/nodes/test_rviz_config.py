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

"""The configuration of RViz says only what RViz 2 knows; it drops the rest unsaid."""

import math
from pathlib import Path

import numpy as np
import pytest
from visualization_msgs.msg import Marker
import yaml

from mbd_ros.control.tasks.followed_tools import ToolPoints
from mbd_ros.messages.states.drawings import markers
from mbd_ros.nodes.every_node import qos

ROOT = Path(__file__).resolve().parents[3]
EVERY = {'Class', 'Name', 'Enabled', 'Value'}
TOPIC = {'Value', 'Depth', 'Durability Policy', 'History Policy', 'Reliability Policy',
         'Filter size'}
DISPLAYS = {
    'Grid': {'Alpha', 'Cell Size', 'Color', 'Line Style', 'Normal Cell Count', 'Offset', 'Plane',
             'Plane Cell Count', 'Reference Frame'},
    'RobotModel': {'Alpha', 'Collision Enabled', 'Description File', 'Description Source',
                   'Description Topic', 'Links', 'Mass Properties', 'TF Prefix',
                   'Update Interval', 'Visual Enabled'},
    'Path': {'Alpha', 'Buffer Length', 'Color', 'Head Diameter', 'Head Length', 'Length',
             'Line Style', 'Line Width', 'Offset', 'Pose Color', 'Pose Style', 'Radius',
             'Shaft Diameter', 'Shaft Length', 'Topic'},
    'InteractiveMarkers': {'Enable Transparency', 'Interactive Markers Namespace', 'Show Axes',
                           'Show Descriptions', 'Show Visual Aids'},
    'MarkerArray': {'Namespaces', 'Topic'},
    'TF': {'Filter (blacklist)', 'Filter (whitelist)', 'Frame Timeout', 'Frames', 'Marker Scale',
           'Show Arrows', 'Show Axes', 'Show Names', 'Tree', 'Update Interval'},
}
"""Properties of displays, by the constructors in ros2/rviz, rviz_default_plugins/displays."""
VIEW = {'Distance', 'Focal Point', 'Pitch', 'Yaw', 'Target Frame', 'Near Clip Distance',
        'Enable Stereo Rendering', 'Focal Shape Fixed Size', 'Focal Shape Size',
        'Invert Z Axis', 'Field of View'}
OPTIONS = {'Background Color', 'Fixed Frame', 'Frame Rate'}
TOOLS = {'Interact', 'MoveCamera', 'Select', 'FocusCamera', 'Measure', 'SetInitialPose', 'SetGoal',
         'PublishPoint'}
NUMBERS = {   # kind and least, most that the property takes; what is beyond RViz changes unsaid
    'Alpha': (float, 0.0, 1.0), 'Line Width': (float, 0.001, math.inf),
    'Cell Size': (float, 1e-4, math.inf), 'Plane Cell Count': (int, 1, math.inf),
    'Depth': (int, 1, 2**31 - 1), 'Frame Rate': (int, 1, math.inf),
    'Distance': (float, 0.01, math.inf), 'Pitch': (float, -0.5 * math.pi, 0.5 * math.pi),
    'Yaw': (float, 0.0, 2.0 * math.pi), 'X': (float, -math.inf, math.inf),
    'Y': (float, -math.inf, math.inf), 'Z': (float, -math.inf, math.inf)}
SWITCHES = ('Enabled', 'Visual Enabled', 'Collision Enabled', 'Show Axes', 'Show Arrows',
            'Show Descriptions', 'Show Names', 'Show Visual Aids', 'Enable Transparency')
PUBLISHED = {'robot_description': qos.LATCHED, 'controller/desired_path': qos.LATCHED,
             'controller/actual_path': qos.RELIABLE, 'controller/markers': qos.RELIABLE,
             'simulator/bending': qos.RELIABLE, 'simulator/surroundings': qos.RELIABLE,
             'simulator/ground': qos.LATCHED}
"""By names that are in the namespace of RViz, which the launch files give it."""


@pytest.fixture(scope='module')
def manager():
    config = yaml.safe_load((ROOT / 'config' / 'mbd_ros.rviz').read_text())
    assert set(config) <= {'Panels', 'Visualization Manager', 'Window Geometry'}
    assert [panel['Class'] for panel in config['Panels']] == [
        'rviz_common/Displays', 'rviz_common/Views', 'rviz_common/Time']
    return config['Visualization Manager']


def topics(manager):
    return [display[name] for display in manager['Displays']
            for name in ('Topic', 'Description Topic') if name in display]


def test_every_property_is_one_that_the_display_has(manager):
    for display in manager['Displays']:
        library, kind = display['Class'].split('/')
        assert library == 'rviz_default_plugins'
        assert set(display) - EVERY <= DISPLAYS[kind], display['Name']
    for topic in topics(manager):
        assert set(topic) <= TOPIC


def test_options_view_and_tools(manager):
    assert set(manager['Global Options']) <= OPTIONS
    assert manager['Transformation']['Current']['Class'] == 'rviz_default_plugins/TF'
    view = manager['Views']['Current']
    assert view['Class'] == 'rviz_default_plugins/Orbit'
    assert set(view) - EVERY <= VIEW
    assert view['Target Frame'] == '<Fixed Frame>'   # whatever the robot's root is called
    for tool in manager['Tools']:
        assert tool['Class'].split('/')[1] in TOOLS


def test_choices_are_among_those_of_their_properties(manager):
    for display in manager['Displays']:
        assert display.get('Line Style', 'Lines') in ('Lines', 'Billboards')
        assert display.get('Pose Style', 'None') in ('None', 'Axes', 'Arrows')
        assert display.get('Description Source', 'Topic') in ('Topic', 'File')
        for name in ('Color', 'Pose Color'):
            if name in display:
                channels = [int(one) for one in display[name].split(';')]
                assert len(channels) == 3
                assert 0 <= min(channels) <= max(channels) <= 255


def properties(node):
    """Yield all properties with values, however deep."""
    if isinstance(node, dict):
        for name, value in node.items():
            yield name, value
            yield from properties(value)
    elif isinstance(node, list):
        for each in node:
            yield from properties(each)


def test_values_are_of_the_kind_and_in_the_range_of_their_properties(manager):
    checked = set()
    for name, value in properties(manager):
        if name in NUMBERS:
            kind, least, most = NUMBERS[name]
            assert isinstance(value, (int, kind)), name
            assert not isinstance(value, bool), name
            assert least <= value <= most, name
            checked.add(name)
        elif name in SWITCHES:
            assert isinstance(value, bool), name
            checked.add(name)
    assert {'Alpha', 'Depth', 'Distance', 'Enabled', 'Yaw', 'Visual Enabled'} <= checked
    names = [display['Name'] for display in manager['Displays']]
    assert len(set(names)) == len(names)


def test_topics_match_what_the_nodes_publish(manager):
    """A subscription that wants more than is offered hears nothing."""
    assert {topic['Value'] for topic in topics(manager)} == set(PUBLISHED)
    for topic in topics(manager):
        profile = PUBLISHED[topic['Value']]
        for what in ('durability', 'reliability', 'history'):
            wanted = getattr(profile, what).name.replace('_', ' ').title()
            assert topic[f'{what.title()} Policy'] == wanted


def test_namespaces_are_those_of_the_markers(manager):
    tool = ToolPoints('tool', *np.zeros((3, 3)), 0.0, np.zeros(3))
    line = [np.zeros(3), np.ones(3)]
    drawn = markers(0, 'world', [tool], paths=[line], traces=[line])
    display = next(one for one in manager['Displays'] if one['Class'].endswith('MarkerArray'))
    names = {one.ns for one in drawn.markers if one.action == Marker.ADD} | {'manifold'}
    assert names == set(display['Namespaces'])
