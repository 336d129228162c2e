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

"""All frames over time, and the transform between any two of them."""

from __future__ import annotations

from collections.abc import Callable
import math
import threading
from typing import Any

from builtin_interfaces.msg import Time as TimeMessage
from geometry_msgs.msg import TransformStamped
from rclpy.duration import Duration
from rclpy.logging import get_logger
from rclpy.time import Time
from rosless_tools.geometry import compose
from rosless_tools.geometry import Displacement
from rosless_tools.geometry import IDENTITY
from rosless_tools.geometry import invert
from rosless_tools.geometry import normalize
from tf2_ros.exceptions import ConnectivityException
from tf2_ros.exceptions import ExtrapolationException
from tf2_ros.exceptions import InvalidArgumentException
from tf2_ros.exceptions import LookupException
from tf2_ros.exceptions import TransformException
from tf2_ros.time_cache import Sample
from tf2_ros.time_cache import seconds
from tf2_ros.time_cache import StaticCache
from tf2_ros.time_cache import TimeCache

DEFAULT_CACHE_TIME = 10.0  # s
LONGEST_CHAIN = 1000  # frames; a longer one is a loop
SHORTEST = 1e-4  # s: of one sample, as the original has it
NORM_TOLERANCE = 1e-2  # of a squared quaternion, as the original allows


class BufferCore:
    """
    Collect transforms and answer questions about them; safe to use from several threads.

    Parameters
    ----------
    cache_time : Duration, optional
        How long transforms are kept; 10 s by default.

    """

    def __init__(self, cache_time: Duration | None = None) -> None:
        self._span = (int(DEFAULT_CACHE_TIME * 1e9) if cache_time is None
                      else cache_time.nanoseconds)
        self._frames: dict[str, TimeCache | StaticCache] = {}
        self._known: set[str] = set()
        self._authorities: dict[str, str] = {}
        self._changed = threading.Condition(threading.RLock())
        self._observers: list[Callable[[], None]] = []

    def clear(self) -> None:
        """Forget all transforms that are not static."""
        with self._changed:
            self._frames = {name: cache for name, cache in self._frames.items()
                            if isinstance(cache, StaticCache)}

    def set_transform(self, transform: TransformStamped, authority: str = '') -> bool:
        """Add a transform; return False if it is not usable, too old or known already."""
        return self._set(transform, authority, static=False)

    def set_transform_static(self, transform: TransformStamped, authority: str = '') -> bool:
        """Add a transform that holds for all time; return False if it is not usable."""
        return self._set(transform, authority, static=True)

    def lookup_transform_core(
        self, target_frame: str, source_frame: str, time: Time | TimeMessage,
    ) -> TransformStamped:
        """
        Return the transform that takes coordinates in the source frame to the target frame.

        Parameters
        ----------
        target_frame, source_frame : str
            Names of the frames.
        time : Time
            When; zero for the latest time at which all transforms needed are known.

        Raises
        ------
        InvalidArgumentException
            If a name is empty or begins with a slash.
        LookupException
            If a frame is not known.
        ConnectivityException
            If the frames are not in the same tree.
        ExtrapolationException
            If the time is outside of the data.

        """
        with self._changed:
            stamp, displacement = self._lookup(target_frame, source_frame, nanoseconds(time))
        return as_message(target_frame, source_frame, stamp, displacement)

    def lookup_transform_full_core(
        self,
        target_frame: str,
        target_time: Time | TimeMessage,
        source_frame: str,
        source_time: Time | TimeMessage,
        fixed_frame: str,
    ) -> TransformStamped:
        """Return the transform between two frames at two times, by way of a fixed frame."""
        with self._changed:
            for argument, frame in (('target_frame', target_frame), ('source_frame', source_frame),
                                    ('fixed_frame', fixed_frame)):
                self._check(argument, frame)
            _, source = self._lookup(fixed_frame, source_frame, nanoseconds(source_time))
            stamp, target = self._lookup(target_frame, fixed_frame, nanoseconds(target_time))
        return as_message(target_frame, source_frame, stamp, compose(target, source))

    def can_transform_core(
        self, target_frame: str, source_frame: str, time: Time | TimeMessage,
    ) -> tuple[bool, str]:
        """Return whether a transform can be looked up and, if not, why."""
        if target_frame == source_frame:
            return True, ''
        return self._possible(
            {'target_frame': target_frame, 'source_frame': source_frame},
            lambda: self.lookup_transform_core(target_frame, source_frame, time))

    def can_transform_full_core(
        self,
        target_frame: str,
        target_time: Time | TimeMessage,
        source_frame: str,
        source_time: Time | TimeMessage,
        fixed_frame: str,
    ) -> tuple[bool, str]:
        """Return whether a transform between two times can be looked up and, if not, why."""
        return self._possible(
            {'target_frame': target_frame, 'source_frame': source_frame,
             'fixed_frame': fixed_frame},
            lambda: self.lookup_transform_full_core(
                target_frame, target_time, source_frame, source_time, fixed_frame))

    def _possible(
        self, frames: dict[str, str], look: Callable[[], TransformStamped],
    ) -> tuple[bool, str]:
        """Return whether a look succeeds and, if not, why, in the words of canTransform."""
        with self._changed:
            for argument, frame in frames.items():
                problem = self._problem(frame)
                if problem:
                    return False, (f'Invalid frame ID "{frame}" passed to canTransform argument '
                                   f'{argument} - {problem}')
            try:
                look()
            except TransformException as error:
                return False, str(error)
        return True, ''

    def _problem(self, frame: str) -> str:
        if not frame:
            return 'in tf2 frame_ids cannot be empty'
        if frame.startswith('/'):
            return "in tf2 frame_ids cannot start with a '/'"
        return '' if frame in self._known else 'frame does not exist'

    def get_latest_common_time(self, target_frame: str, source_frame: str) -> Time:
        """Return the latest time at which the transform between two frames is known."""
        with self._changed:
            return Time(nanoseconds=self._common_time(target_frame, source_frame))

    def all_frames_as_string(self) -> str:
        """Return a text with the parent of every frame."""
        with self._changed:
            return '\n'.join(f'Frame {name} exists with parent {cache.latest()[1]}.'
                             for name, cache in sorted(self._frames.items()))

    def all_frames_as_yaml(self) -> str:
        """Return parent, broadcaster, rate [Hz] and times [s] of every frame, as YAML."""
        with self._changed:
            return ''.join(map(self._frame_as_yaml, sorted(self._frames))) or '[]\n'

    def _frame_as_yaml(self, name: str) -> str:
        cache = self._frames[name]
        count, oldest, latest = cache.extent()
        length = (latest - oldest) * 1e-9
        return (f"{name}: \n  parent: '{cache.latest()[1]}'\n"
                f"  broadcaster: '{self._authorities[name]}'\n"
                f'  rate: {count / max(length, SHORTEST):.3f}\n'
                f'  most_recent_transform: {latest * 1e-9:.6f}\n'
                f'  oldest_transform: {oldest * 1e-9:.6f}\n'
                f'  buffer_length: {length:.3f}\n')

    def _set(self, transform: TransformStamped, authority: str, *, static: bool) -> bool:
        child = transform.child_frame_id.lstrip('/')
        parent = transform.header.frame_id.lstrip('/')
        t, q = transform.transform.translation, transform.transform.rotation
        rotation = (q.x, q.y, q.z, q.w)
        norm = sum(part * part for part in rotation)
        problem = ''
        if not child or not parent:
            problem = 'because a frame_id is not set'
        elif child == parent:
            problem = 'because frame_id and child_frame_id are the same'
        elif not all(map(math.isfinite, (t.x, t.y, t.z, norm))):
            problem = 'because of a nan or infinite value in the transform'
        elif abs(norm - 1.0) > NORM_TOLERANCE:
            problem = f'because of an invalid quaternion in the transform {rotation}'
        if problem:
            get_logger('tf2_buffer').error(
                f'Ignoring transform for child_frame_id "{child}" from authority "{authority}" '
                f'{problem}', throttle_duration_sec=1.0)
            return False
        kind = StaticCache if static else TimeCache
        sample = Sample(nanoseconds(transform.header.stamp), parent,
                        ((t.x, t.y, t.z), normalize(rotation)))
        with self._changed:
            cache = self._frames.get(child)
            if not isinstance(cache, kind):
                cache = StaticCache() if static else TimeCache(self._span)
            problem = cache.insert(sample)
            if not problem:
                self._frames[child] = cache
                self._authorities[child] = authority
                self._known.update((child, parent))
            self._changed.notify_all()
            observers = list(self._observers)
        for observer in observers:
            observer()
        if problem:
            get_logger('tf2_buffer').warning(
                f'{problem} for frame {child} (parent {parent}) at time '
                f'{seconds(sample.stamp)} according to authority {authority}',
                throttle_duration_sec=1.0)
        return not problem

    def _lookup(self, target: str, source: str, stamp: int) -> tuple[int, Displacement]:
        if target == source:   # even of a frame that does not exist
            known = self._frames.get(target)
            return stamp or (known.latest()[0] if known else 0), IDENTITY
        self._check('target_frame', target)
        self._check('source_frame', source)
        if stamp == 0:
            stamp = self._common_time(target, source)
        try:
            up_source = self._chain(source, stamp, target)
            if up_source[-1][0] == target:
                return stamp, up_source[-1][1]
            up_target = dict(self._chain(target, stamp, source))
        except ExtrapolationException as error:
            raise ExtrapolationException(f'{error}, when looking up transform from frame '
                                         f'[{source}] to frame [{target}]') from None
        for frame, displacement in up_source:
            if frame in up_target:
                return stamp, compose(invert(up_target[frame]), displacement)
        raise self._unconnected(target, source)

    def _chain(self, frame: str, stamp: int, end: str) -> list[tuple[str, Displacement]]:
        """Return the frames from one upwards, and the displacement of the first in each."""
        displacement = IDENTITY
        chain = [(frame, displacement)]
        while frame in self._frames and frame != end:
            sample = self._frames[frame].at(stamp)
            frame = sample.parent
            displacement = compose(sample.displacement, displacement)
            chain.append((frame, displacement))
            if len(chain) > LONGEST_CHAIN:
                raise LookupException('The tf tree is invalid because it contains a loop.')
        return chain

    def _common_time(self, target: str, source: str) -> int:
        """Return the least of the latest times on the way; 0 if all of it is static."""
        up_source, up_target = self._latest_times(source), self._latest_times(target)
        meeting = next((name for name in up_source if name in up_target), None)
        if meeting is None:
            raise self._unconnected(target, source)
        way = [up[name] for up in (up_source, up_target)
               for name in list(up)[:list(up).index(meeting)]]
        times = [latest for latest in way if latest]
        return min(times) if times else 0

    def _latest_times(self, frame: str) -> dict[str, int]:
        times: dict[str, int] = {}
        while frame in self._frames and frame not in times:
            times[frame], frame = self._frames[frame].latest()
        times.setdefault(frame, 0)
        return times

    def _check(self, argument: str, frame: str) -> None:
        where = f'passed to lookupTransform argument {argument}'
        if not frame:
            raise InvalidArgumentException(
                f'Invalid argument {where} in tf2 frame_ids cannot be empty')
        if frame.startswith('/'):
            raise InvalidArgumentException(f'Invalid argument "{frame}" {where} in tf2 frame_ids '
                                           "cannot start with a '/'")
        if frame not in self._known:
            raise LookupException(f'"{frame}" {where} does not exist. ')

    @staticmethod
    def _unconnected(target: str, source: str) -> ConnectivityException:
        return ConnectivityException(
            f"Could not find a connection between '{target}' and '{source}' because they are not "
            'part of the same tree. Tf has two or more unconnected trees.')


def nanoseconds(time: Any) -> int:
    """Return a time, as an rclpy object or as a message, in nanoseconds."""
    if hasattr(time, 'nanoseconds'):
        return int(time.nanoseconds)
    return int(time.sec) * 10**9 + int(time.nanosec)


def as_message(
    target: str, source: str, stamp: int, displacement: Displacement,
) -> TransformStamped:
    """Return a displacement of the source frame in the target frame as a message."""
    message = TransformStamped()
    message.header.frame_id = target
    message.header.stamp = TimeMessage(sec=stamp // 10**9, nanosec=stamp % 10**9)
    message.child_frame_id = source
    t, q = message.transform.translation, message.transform.rotation
    t.x, t.y, t.z = displacement[0]
    q.x, q.y, q.z, q.w = displacement[1]
    return message
