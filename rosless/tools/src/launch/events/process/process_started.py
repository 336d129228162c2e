"""A process has been started."""

from launch.events.process.running_process_event import RunningProcessEvent


class ProcessStarted(RunningProcessEvent):
    """Emitted when a process has been started."""

    name = 'launch.events.process.ProcessStarted'
