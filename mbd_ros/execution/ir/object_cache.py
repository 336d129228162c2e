# Copyright 2026 The authors of mbd_ros
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
# in compliance with the License. You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software distributed under the License
# is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
# or implied. See the License for the specific language governing permissions and limitations under
# the License.

"""
Machine code kept on disk, so that a program is compiled once on a machine, not once a process.

A file holds a checksum and the object code of one module; its name is a hash of all that the code
depends on. Files are written beside and moved into place, so that a reader never sees half of
one. Whatever goes wrong with a file or the folder (damaged, read-only, missing, full, somebody
else's), the cache then has nothing, and the code is compiled.

"""

from __future__ import annotations

from collections.abc import Iterator
import hashlib
import os
from pathlib import Path
import stat
import tempfile
import time
import zlib

VARIABLE = 'MBD_ROS_CACHE'
"""The environment variable that names the folder; empty or ``off``: nothing is kept."""
LARGEST = 256 * 2**20
"""Bytes beyond which the files unused for longest are removed."""
_SUFFIX = '.object'
_UNFINISHED = '.object-unfinished'
_CHECKSUM = 16
_TRIM_EVERY = 32  # files stored, by any process: to look at all of them takes time
_ABANDONED = 3600.0  # seconds after which an unfinished file is nobody's any more


class ObjectCache:
    """
    A folder of object code.

    Parameters
    ----------
    folder : Path
        The folder; made at the first file.
    largest : int
        Bytes that the files may take together.

    """

    def __init__(self, folder: Path, largest: int = LARGEST) -> None:
        self.folder = folder
        self.largest = largest

    def load(self, key: str) -> bytes | None:
        """Return the code kept under a key, or None."""
        path = self._path(key)
        try:
            with open(path, 'rb', opener=_opened) as file:
                found = os.fstat(file.fileno())   # of what is read, whatever the path is by now
                if not (stat.S_ISREG(found.st_mode) and found.st_size <= self.largest
                        and _only_ours(found) and self.trusted()):
                    return None
                content = file.read(self.largest)
        except OSError:
            return None
        code = content[_CHECKSUM:]
        if not code or content[:_CHECKSUM] != _checksum(key, code):
            return None
        try:
            os.utime(path)
        except OSError:
            pass  # read-only: the time of the last use is lost, no more
        return code

    def store(self, key: str, code: bytes) -> None:
        """Keep code under a key, where that is possible."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self.trusted():
                return
            handle, name = tempfile.mkstemp(_UNFINISHED, dir=self.folder)
            try:
                with os.fdopen(handle, 'wb') as file:
                    file.write(_checksum(key, code) + code)
                os.replace(name, self._path(key))
            except OSError:
                os.unlink(name)
                raise
            if zlib.crc32(key.encode()) % _TRIM_EVERY == 0:   # one key in so many
                self.trim()
        except OSError:
            pass

    def trusted(self) -> bool:
        """Return whether nobody but this user and root can have put code here."""
        return _only_ours(self.folder.stat())

    def sizes(self) -> list[int]:
        """Return the bytes of each file."""
        return [found.st_size for path, found in self._files() if path.suffix == _SUFFIX]

    def clear(self) -> int:
        """Remove all files; return how many there were."""
        removed = 0
        for path, _ in self._files():
            try:
                path.unlink()
            except OSError:
                continue
            removed += 1
        return removed

    def _path(self, key: str) -> Path:
        return self.folder / (key + _SUFFIX)

    def _files(self) -> Iterator[tuple[Path, os.stat_result]]:
        """Yield the files of this cache, unfinished ones included."""
        try:
            with os.scandir(self.folder) as entries:
                found = list(entries)
        except OSError:
            return
        for entry in found:
            if entry.name.endswith((_SUFFIX, _UNFINISHED)):
                try:
                    yield Path(entry.path), entry.stat(follow_symlinks=False)
                except OSError:
                    continue  # another process removed it

    def trim(self) -> None:
        """Remove what was used longest ago until the rest is small enough."""
        total, now = 0, time.time()
        for path, found in sorted(self._files(), key=lambda item: -item[1].st_mtime):
            total += found.st_size
            unfinished = path.suffix != _SUFFIX and now - found.st_mtime > _ABANDONED
            if total > self.largest or unfinished:
                path.unlink(missing_ok=True)


def object_cache() -> ObjectCache | None:
    """Return the cache of this user, or None where nothing is to be kept."""
    named = os.environ.get(VARIABLE)
    try:
        if named is not None:
            named = named.strip()
            return None if named in ('', 'off') else ObjectCache(Path(named).expanduser())
        home = os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache'
    except RuntimeError:
        return None  # there is no such user, or one without a home
    return ObjectCache(Path(home) / 'mbd_ros') if Path(home).is_absolute() else None


def key_of(*parts: str) -> str:
    """Return the key of code that depends on all these texts and on nothing else."""
    digest = hashlib.blake2b(digest_size=20)
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, 'little') + data)
    return digest.hexdigest()


def _opened(path: str, flags: int) -> int:
    """Open a file, but neither follow a link nor wait for the writer of a pipe."""
    return os.open(path, flags | getattr(os, 'O_NOFOLLOW', 0) | getattr(os, 'O_NONBLOCK', 0))


def _only_ours(found: os.stat_result) -> bool:
    """Return whether nobody but this user and root can have written a file, or into a folder."""
    return os.name != 'posix' or (
        found.st_uid in (0, os.geteuid())
        and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def _checksum(key: str, code: bytes) -> bytes:
    return hashlib.blake2b(key.encode() + code, digest_size=_CHECKSUM).digest()
