"""Executors by name."""

from __future__ import annotations

from mbd_ros.errors import InvalidValueError
from mbd_ros.execution.auto import Auto
from mbd_ros.execution.compiled import Compiled
from mbd_ros.execution.cost_model import processors
from mbd_ros.execution.interpreted import Interpreted
from mbd_ros.execution.kernel import Executor
from mbd_ros.execution.lanes import Lanes
from mbd_ros.execution.threads import Threads

_BY_NAME: dict[str, Executor] = {
    'auto': Auto(), 'compiled': Compiled(), 'unrolled': Compiled('unrolled'),
    'rolled': Compiled('rolled'), 'lanes': Lanes(), 'threads': Threads(processors()),
    'interpreted': Interpreted()}


def choose(executor: Executor | str | None) -> Executor:
    """
    Return the executor to use.

    Parameters
    ----------
    executor : Executor or str or None
        An executor, its name, or None for ``Compiled``.

    Returns
    -------
    Executor
        The executor.

    Raises
    ------
    InvalidValueError
        If there is no executor of that name.

    """
    if executor is None:
        return _BY_NAME['compiled']
    if isinstance(executor, str):
        if executor not in _BY_NAME:
            raise InvalidValueError('executor', executor, f'{_quoted()} or an executor')
        return _BY_NAME[executor]
    return executor


def _quoted() -> str:
    return ', '.join(f"'{name}'" for name in _BY_NAME)
