"""The command ``mbd_ros``: one file for each of its subcommands."""
