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

"""Topics named by links, joints and loops, whatever these are called."""

from types import SimpleNamespace

from hypothesis import given, settings, strategies as st
import rclpy.validate_full_topic_name

from mbd_ros.nodes.every_node.named_topics import NamedTopics, topic_names


def test_each_link_has_a_topic_name_of_its_own():
    assert topic_names(['left_tool', 'tool-1', '3rd', 'tool_1', 'tool/1']) == [
        'left_tool', 'tool_1', 'link_3rd', 'tool_1_2', 'tool_1_3']


@settings(deadline=None)   # a busy machine
@given(st.lists(st.text() | st.from_regex('[a-z0-9 _/-]{0,4}') | st.just('a' * 5000), unique=True))
def test_any_names_give_valid_topics_each_another_one(names):
    topics = topic_names(names)
    assert len(set(topics)) == len(names)
    for topic in topics:
        rclpy.validate_full_topic_name.validate_full_topic_name(f'/simulator/wrench/{topic}')


def test_publishers_follow_the_robot():
    """Those of names that go on go on, too; the others end; odd names are told once at most."""
    made, gone, said = [], [], []
    node = SimpleNamespace(
        create_publisher=lambda kind, topic, profile: made.append(topic) or topic,
        destroy_publisher=gone.append,
        get_logger=lambda: SimpleNamespace(info=lambda text, once: said.append((text, once))))
    topics = NamedTopics(node, object, '~/wrench')
    assert topics.publishers(['a', 'b']) == ['~/wrench/a', '~/wrench/b']
    assert not said
    assert topics.publishers(['b', 'loop 1']) == ['~/wrench/b', '~/wrench/loop_1']
    assert made == ['~/wrench/a', '~/wrench/b', '~/wrench/loop_1']
    assert gone == ['~/wrench/a']
    assert [once for _, once in said] == [True]
    assert "~/wrench/loop_1 is the topic of 'loop 1'" in said[0][0]
    assert topics.publishers([]) == []
    assert sorted(gone) == sorted(made)
