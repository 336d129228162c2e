"""Xacro to URDF, by the package xacro."""

from __future__ import annotations

import threading
from xml.parsers.expat import ExpatError

from mbd_ros.description.packages import find_package
from mbd_ros.errors import DescriptionError, UnsupportedError

_ONE_AT_A_TIME = threading.Lock()
"""The package xacro keeps the files it is in in module variables."""


def expand_xacro(path: str) -> bytes:
    """
    Return the URDF that a xacro file expands to with its default arguments.

    ``$(find PACKAGE)`` is looked up without ROS, see ``find_package``.

    Parameters
    ----------
    path : str
        The file. Its expressions are evaluated: as with every tool for xacro, only open files
        you trust.

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
    with _ONE_AT_A_TIME:
        index = substitution_args._eval_find
        substitution_args._eval_find = lambda name: find_package(name, index)
        try:
            document = xacro.process_file(path, verbosity=0)
        except ExpatError as error:
            raise DescriptionError(f'this is not well-formed XML: {error}', file=_innermost(path),
                                   line=error.lineno) from None
        except Exception as error:  # expressions in the file can raise anything
            raise DescriptionError(f'xacro cannot expand this: {error}',
                                   file=_innermost(path)) from None
        finally:
            substitution_args._eval_find = index
    return bytes(document.toxml(encoding='utf-8'))


def _innermost(path: str) -> str:
    """Return the file in which xacro stopped."""
    import xacro
    stack = [file for file in xacro.filestack or [] if file]
    return stack[-1] if stack else path
