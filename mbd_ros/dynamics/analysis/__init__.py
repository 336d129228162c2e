"""What formulations cost: operations, critical paths, schedules on several processors."""
