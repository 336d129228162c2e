"""Xacro to URDF, by the package xacro."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
import errno
import io
import os
import re
import threading
import time
from typing import Any
from xml.parsers.expat import ExpatError

from mbd_ros.description.packages import find_package
from mbd_ros.description.roots import Roots
from mbd_ros.description.xacro_expressions import evaluate
from mbd_ros.errors import DescriptionError, UnsupportedError

MAX_BYTES = 16 * 1024 * 1024
"""Of one file."""

MAX_MACROS = 100_000
"""Calls of macros."""

MAX_SECONDS = 30.0
"""Computing time; the largest robots take one or two."""

_CLASS = re.compile(r"<class '[^']*'>: ")

_ONE_AT_A_TIME = threading.Lock()
"""The package xacro keeps the files it is in in module variables."""


def expand_xacro(path: str, *, trusted: bool = False) -> bytes:
    """
    Return the URDF that a xacro file expands to with its default arguments.

    ``$(find PACKAGE)`` is looked up without ROS, see ``find_package``.

    Parameters
    ----------
    path : str
        The file.
    trusted : bool
        Whether the file may do all that xacro lets it do, which includes running code: its
        expressions are Python. By default they are arithmetic, see ``xacro_expressions``, and
        files are opened only in the package of this one and in packages that ``$(find)`` names;
        environment variables are not read.

    Returns
    -------
    bytes
        The XML document.

    Raises
    ------
    DescriptionError
        If it cannot be expanded, with the file it stopped in.
    UnsupportedError
        If xacro is not installed.

    """
    try:
        import xacro
        from xacro import substitution_args
    except ImportError:
        raise UnsupportedError(f"{path}: reading xacro without the package 'xacro'",
                               "install it with 'pip install xacro'") from None
    with _ONE_AT_A_TIME, _guarded(xacro, substitution_args, path, trusted):
        try:
            document = xacro.process_file(path, verbosity=0)
        except ExpatError as error:
            raise DescriptionError(f'this is not well-formed XML: {error}', file=_innermost(path),
                                   line=error.lineno) from None
        except Exception as error:  # expressions in the file can raise anything
            raise DescriptionError(f'xacro cannot expand this: {_reason(error)}',
                                   file=_innermost(path)) from None
    return bytes(document.toxml(encoding='utf-8'))


@contextmanager
def _guarded(xacro: Any, substitutions: Any, path: str, trusted: bool) -> Iterator[None]:
    """Put our way of finding packages, opening files and evaluating into xacro for a while."""
    roots = Roots(path, max_bytes=MAX_BYTES)

    def find(name: str) -> str:
        folder = find_package(name, index)
        roots.add(folder)
        return folder

    index = substitutions._eval_find
    own: dict[tuple[Any, str], Any] = {(substitutions, '_eval_find'): find}
    if not trusted:
        budget = _Budget()
        own |= {
            (substitutions, '_eval'): _refuse_eval,
            (substitutions, '_eval_env'): _refuse_environment,
            (substitutions, '_eval_optenv'): _default_of,
            (xacro, 'open'): _opener(roots),
            (xacro, 'safe_eval'): budget.watching(evaluate),
            (xacro, 'handle_macro_call'): budget.watching(xacro.handle_macro_call, counted=True)}
    before = {}
    for module, name in own:
        if not hasattr(module, name) and name != 'open':
            raise UnsupportedError(f'{path}: this version of xacro, which has no {name},',
                                   'install xacro 2.0 or 2.1')
        before[module, name] = vars(module).get(name)
    try:
        for (module, name), value in own.items():
            setattr(module, name, value)
        yield
    finally:
        for (module, name), value in before.items():
            if value is None:
                delattr(module, name)
            else:
                setattr(module, name, value)


def _opener(roots: Roots) -> Callable[[str], io.BytesIO]:
    """Return what opens a file, XML or YAML, for xacro."""
    def opened(name: str) -> io.BytesIO:
        try:
            data = roots.check(name).read_bytes()
        except DescriptionError as error:
            raise OSError(errno.EACCES, error.what, name) from None  # what xacro expects
        if b'<!DOCTYPE' in data:
            raise ValueError(f'a document type (<!DOCTYPE ...>) in {name} is not allowed')
        if b'\0' in data:
            raise ValueError(f'{name} is neither UTF-8 nor ASCII')
        return io.BytesIO(data)
    return opened


class _Budget:
    """What one expansion may use."""

    def __init__(self) -> None:
        self.macros = 0
        self.end = time.thread_time() + MAX_SECONDS

    def watching(self, function: Callable[..., Any], *,
                 counted: bool = False) -> Callable[..., Any]:
        """Return the function, called only while there is something left."""
        def watched(*args: Any) -> Any:
            self.macros += counted
            if self.macros > MAX_MACROS:
                raise ValueError(f'more than {MAX_MACROS} calls of macros are not allowed')
            if time.thread_time() > self.end:
                raise ValueError(f'this takes more than {MAX_SECONDS:g} s')
            return function(*args)
        return watched


def _refuse_eval(*_: Any) -> str:
    raise ValueError('$(eval ...) is not allowed; write ${...}')


def _refuse_environment(name: str) -> str:
    raise ValueError(f'the environment variable {name} is not read: what is in it would be passed '
                     "on with the robot; allowed: <xacro:arg>, or xacro='trusted'")


def _default_of(name: str, default: str = '') -> str:
    """Return what ``$(optenv NAME DEFAULT)`` is where the variable is not set."""
    if name in os.environ:
        _refuse_environment(name)
    return default


def _reason(error: Any) -> str:
    """Return what xacro says in one line; it repeats causes behind messages that hold them."""
    if not hasattr(error, 'exc'):
        return str(getattr(error, 'strerror', None) or error)
    own = _CLASS.sub('', Exception.__str__(error)).removeprefix('None')
    cause = '' if error.exc is None else _reason(error.exc)
    what = own if cause in own else f'{own} {cause}'.strip()
    where = ' '.join((error.suffix or '').split())
    return f'{what}, {where}' if where else what


def _innermost(path: str) -> str:
    """Return the file in which xacro stopped."""
    import xacro
    stack = [file for file in xacro.filestack or [] if file]
    return stack[-1] if stack else path
