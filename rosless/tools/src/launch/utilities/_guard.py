"""
Program that kills the process groups of a launch which died without cleaning up.

It reads lines ``+<group>`` and ``-<group>`` from its standard input. At the end of input, which
comes with the death of the launch however it died, it kills the groups that are still listed.

"""

import os
import signal
import sys


def main() -> None:
    """Read until the launch is gone; then kill what it left behind."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    groups = set()
    for line in sys.stdin:
        group = int(line[1:])
        if line[0] == '+':
            groups.add(group)
        else:
            groups.discard(group)
    for group in groups:
        try:
            os.killpg(group, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass


main()
