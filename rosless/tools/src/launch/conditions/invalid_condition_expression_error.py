"""The error of a condition that is neither true nor false."""


class InvalidConditionExpressionError(Exception):
    """A condition expression is neither true nor false."""
