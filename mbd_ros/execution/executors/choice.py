"""Executors by name."""

from __future__ import annotations

from mbd_ros.errors import InvalidValueError
from mbd_ros.execution.executors.auto import Auto
from mbd_ros.execution.executors.compiled import Compiled
from mbd_ros.execution.executors.cost_model import processors
from mbd_ros.execution.executors.lanes import Lanes
from mbd_ros.execution.executors.threads import Threads
from mbd_ros.execution.program.interpreted import Interpreted
from mbd_ros.execution.program.kernel import Executor

_BY_NAME: dict[str, Executor] = {
    'auto': Auto(), 'compiled': Compiled(), 'unrolled': Compiled('unrolled'),
    'rolled': Compiled('rolled'), 'lanes': Lanes(), 'threads': Threads(processors()),
    'threads_within_state': Threads(processors(), within_state=True),
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
        If it is neither an executor nor the name of one.

    """
    if executor is None:
        return _BY_NAME['compiled']
    if isinstance(executor, str):
        if executor not in _BY_NAME:
            raise InvalidValueError('executor', executor, f'{_quoted()} or an executor')
        return _BY_NAME[executor]
    if not callable(getattr(executor, 'kernel', None)):
        raise InvalidValueError('executor', executor, f'{_quoted()} or an executor')
    return executor


def forced(executor: str, threads: int) -> Executor | None:
    """
    Return the executor that takes the place of what requests name.

    Parameters
    ----------
    executor : str
        Name of an executor; empty: requests choose.
    threads : int
        Number of threads for batches, and for one state with ``'threads_within_state'``; 0: chosen
        by cost, or as many as there are processors.

    Returns
    -------
    Executor or None
        None if requests choose freely.

    Raises
    ------
    InvalidValueError
        If there is no executor of that name.

    """
    if threads == 0:
        return choose(executor) if executor else None
    if executor in ('', 'auto', 'threads', 'threads_within_state'):
        return Threads(threads, within_state=executor == 'threads_within_state')
    chosen = choose(executor)
    return chosen if threads == 1 else Threads(threads, chosen)


def _quoted() -> str:
    return ', '.join(f"'{name}'" for name in _BY_NAME)
