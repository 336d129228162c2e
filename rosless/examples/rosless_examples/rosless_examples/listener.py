"""A subscriber."""

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from std_msgs.msg import String


class MinimalSubscriber(Node):
    """Says what it hears."""

    def __init__(self):
        super().__init__('minimal_subscriber')
        self.subscription = self.create_subscription(
            String, 'topic', self.listener_callback, 10)

    def listener_callback(self, msg):
        """Say what was heard."""
        self.get_logger().info(f'I heard: "{msg.data}"')


def main(args=None):
    """Run the node."""
    rclpy.init(args=args)
    minimal_subscriber = MinimalSubscriber()
    try:
        rclpy.spin(minimal_subscriber)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        minimal_subscriber.destroy_node()
        rclpy.try_shutdown()


if __name__ == '__main__':
    main()
