"""A process is to end."""

from launch.events.process.process_targeted_event import ProcessTargetedEvent


class ShutdownProcess(ProcessTargetedEvent):
    """Asks processes to end: SIGINT, then SIGTERM, then SIGKILL."""

    name = 'launch.events.process.ShutdownProcess'
