"""Which executor serves a model."""

from __future__ import annotations

from mbd_ros.errors import InvalidValueError
from mbd_ros.execution.compiled import Compiled
from mbd_ros.execution.interpreted import Interpreted
from mbd_ros.execution.kernel import Executor
from mbd_ros.model import Model

LARGEST_UNROLLED = 80
"""Bodies up to which unrolled code is compiled: code generation grows faster than linearly."""

_BY_NAME: dict[str, Executor] = {'compiled': Compiled(), 'interpreted': Interpreted()}


def choose(model: Model, executor: Executor | str | None) -> Executor:
    """
    Return the executor to use.

    Parameters
    ----------
    model : Model
        The model to run.
    executor : Executor or str or None
        An executor, its name, or None or ``'auto'`` to choose by the size of the model.

    Returns
    -------
    Executor
        The executor.

    Raises
    ------
    InvalidValueError
        If there is no executor of that name.

    """
    if executor is None or executor == 'auto':
        return _BY_NAME['compiled' if model.nb <= LARGEST_UNROLLED else 'interpreted']
    if isinstance(executor, str):
        if executor not in _BY_NAME:
            raise InvalidValueError('executor', executor, f"'auto', {_quoted()} or an executor")
        return _BY_NAME[executor]
    return executor


def _quoted() -> str:
    return ', '.join(f"'{name}'" for name in _BY_NAME)
