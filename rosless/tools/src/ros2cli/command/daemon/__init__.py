"""``ros2 daemon``: there is none, as scripts that ask for it are told."""
