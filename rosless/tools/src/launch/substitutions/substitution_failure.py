"""The error of a substitution that cannot be computed."""


class SubstitutionFailure(RuntimeError):
    """A substitution cannot be computed."""
