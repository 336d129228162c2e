"""What can go wrong when a transform is looked up."""


class TransformException(Exception):
    """Base of the errors of this package."""


class LookupException(TransformException):
    """A frame is not known."""


class ConnectivityException(TransformException):
    """Two frames are not in the same tree."""


class ExtrapolationException(TransformException):
    """The time asked for is outside of the data."""


class InvalidArgumentException(TransformException):
    """A frame name is not valid."""


class TimeoutException(TransformException):
    """The time to wait is over."""
