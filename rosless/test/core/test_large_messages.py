"""Messages of many datagrams, some of which are lost on the way."""

from __future__ import annotations

from collections.abc import Callable
import signal
from typing import Any

from nav_msgs.msg import OccupancyGrid
from nav_msgs.srv import SetMap
from sensor_msgs.msg import JointState

Make = Callable[..., Any]

SERVER = """
import rclpy
from nav_msgs.srv import SetMap
from sensor_msgs.msg import JointState
rclpy.init(args=[])
node = rclpy.create_node('server')
def set_map(request, response):
    response.success = len(request.map.data) == 8_000_000 and sum(request.map.data[-9:]) == 9
    return response
node.create_subscription(JointState, 'joint_states', lambda _: None, 10)
node.create_service(SetMap, 'set_map', set_map)
rclpy.spin(node)
"""


def test_lost_datagrams_are_soon_sent_again(
    run_program: Make, make_node: Make, executor: Any
) -> None:
    # A stopped process reads nothing: all that its socket has no room for is lost, as on a machine
    # that is too busy. 8 MB are 125 datagrams, of which the largest buffers hold about a half.
    node = make_node('client')
    executor.add_node(node)
    client = node.create_client(SetMap, 'set_map')
    publisher = node.create_publisher(JointState, 'joint_states', 10)
    node.create_timer(0.005, lambda: publisher.publish(JointState(name=['joint'])))
    server = run_program(SERVER)
    assert client.wait_for_service(timeout_sec=10.0)
    request = SetMap.Request(map=OccupancyGrid(data=bytes([1]) * 8_000_000))
    for _ in range(3):
        server.process.send_signal(signal.SIGSTOP)
        future = client.call_async(request)
        executor.spin_until_future_complete(future, timeout_sec=0.2)
        server.process.send_signal(signal.SIGCONT)
        executor.spin_until_future_complete(future, timeout_sec=10.0)
        assert future.done(), 'no answer'
        assert future.result().success
    # a process that is killed stays in the graph for ten seconds, where other tests would meet it
    server.process.terminate()
    server.finish()
