"""Topics of tools."""

from mbd_ros.nodes.parts.controller_drawings import topic_names


def test_each_link_has_a_topic_name_of_its_own():
    assert topic_names(['left_tool', 'tool-1', '3rd', 'tool_1', 'tool/1']) == [
        'left_tool', 'tool_1', 'link_3rd', 'tool_1_2', 'tool_1_3']
