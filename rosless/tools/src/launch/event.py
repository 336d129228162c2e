"""Base of the things that happen while launching."""


class Event:
    """Something that happened; event handlers react to it."""

    name = 'launch.Event'
