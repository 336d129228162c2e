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

"""Quality of service: profiles and policies."""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import Any
import warnings

from rosless.dds.qos import Profile

from .duration import Duration

DURATION_DEFAULT = Duration()
DURATION_INFINITE = Duration(nanoseconds=2**63 - 1)
DeadlineBestAvailable = Duration(nanoseconds=2**63 - 2)
LivelinessLeaseDurationeBestAvailable = Duration(nanoseconds=2**63 - 2)


class InvalidQoSProfileException(Exception):
    """Raised when a profile contradicts itself."""

    def __init__(self, *args: Any) -> None:
        Exception.__init__(self, 'Invalid QoSProfile', *args)


class QoSPolicyEnum(IntEnum):
    """Base of the policies, which have short keys for command lines."""

    @classmethod
    def short_keys(cls) -> list[str]:
        """Return the keys, for example ``['system_default', 'keep_last', ...]``."""
        return [member.name.lower() for member in cls]

    @classmethod
    def get_from_short_key(cls, name: str) -> int:
        """Return the policy with that key."""
        return cls[name.upper()].value

    @property
    def short_key(self) -> str:
        """Return the policy's key."""
        return self.name.lower()


class HistoryPolicy(QoSPolicyEnum):
    """How many samples are kept."""

    SYSTEM_DEFAULT = 0
    KEEP_LAST = 1
    KEEP_ALL = 2
    UNKNOWN = 3


class ReliabilityPolicy(QoSPolicyEnum):
    """Whether lost samples are sent again."""

    SYSTEM_DEFAULT = 0
    RELIABLE = 1
    BEST_EFFORT = 2
    UNKNOWN = 3
    BEST_AVAILABLE = 4


class DurabilityPolicy(QoSPolicyEnum):
    """Whether late joiners get what was published before."""

    SYSTEM_DEFAULT = 0
    TRANSIENT_LOCAL = 1
    VOLATILE = 2
    UNKNOWN = 3
    BEST_AVAILABLE = 4


class LivelinessPolicy(QoSPolicyEnum):
    """How a publisher shows that it is alive."""

    SYSTEM_DEFAULT = 0
    AUTOMATIC = 1
    MANUAL_BY_TOPIC = 3
    UNKNOWN = 4
    BEST_AVAILABLE = 5


QoSHistoryPolicy = HistoryPolicy
QoSReliabilityPolicy = ReliabilityPolicy
QoSDurabilityPolicy = DurabilityPolicy
QoSLivelinessPolicy = LivelinessPolicy


POLICIES: dict[str, Any] = {
    'history': HistoryPolicy,
    'depth': int,
    'reliability': ReliabilityPolicy,
    'durability': DurabilityPolicy,
    'lifespan': Duration,
    'deadline': Duration,
    'liveliness': LivelinessPolicy,
    'liveliness_lease_duration': Duration,
    'avoid_ros_namespace_conventions': bool,
}


class QoSProfile:
    """
    A set of policies; the keyword arguments are its attributes.

    `history` and `depth` must be given, or one of them: `depth` alone means `KEEP_LAST`.

    """

    __slots__ = tuple(POLICIES)

    history: HistoryPolicy
    depth: int
    reliability: ReliabilityPolicy
    durability: DurabilityPolicy
    lifespan: Duration
    deadline: Duration
    liveliness: LivelinessPolicy
    liveliness_lease_duration: Duration
    avoid_ros_namespace_conventions: bool

    def __init__(self, **kwargs: Any) -> None:
        unknown = sorted(key for key in kwargs if key not in POLICIES)
        assert not unknown, f'Invalid arguments passed to constructor: {unknown}'
        if 'history' not in kwargs:
            if 'depth' not in kwargs:
                raise InvalidQoSProfileException('History and/or depth settings are required.')
            kwargs['history'] = HistoryPolicy.KEEP_LAST
        self.history = kwargs['history']
        if self.history == HistoryPolicy.KEEP_LAST and 'depth' not in kwargs:
            raise InvalidQoSProfileException('History set to KEEP_LAST without a depth setting.')
        self.depth = kwargs.get('depth', 0)
        self.reliability = kwargs.get('reliability', ReliabilityPolicy.RELIABLE)
        self.durability = kwargs.get('durability', DurabilityPolicy.VOLATILE)
        self.lifespan = kwargs.get('lifespan', DURATION_DEFAULT)
        self.deadline = kwargs.get('deadline', DURATION_DEFAULT)
        self.liveliness = kwargs.get('liveliness', LivelinessPolicy.SYSTEM_DEFAULT)
        self.liveliness_lease_duration = kwargs.get('liveliness_lease_duration', DURATION_DEFAULT)
        self.avoid_ros_namespace_conventions = kwargs.get('avoid_ros_namespace_conventions', False)

    def __setattr__(self, name: str, value: Any) -> None:
        kind = POLICIES.get(name)
        if kind is None:
            raise AttributeError(f'QoSProfile has no policy {name!r}; it has {list(POLICIES)}')
        if kind is not Duration and isinstance(value, int):
            value = kind(value)
        assert isinstance(value, kind), f'{name} must be a {kind.__name__}, not {value!r}'
        if name == 'depth':
            self._check_depth(value)
        object.__setattr__(self, name, value)

    def _check_depth(self, depth: int) -> None:
        if depth < 0:
            raise ValueError('depth must be greater than or equal to zero')
        if self.history == HistoryPolicy.KEEP_LAST and depth == 0:
            warnings.warn(
                "A zero depth with KEEP_LAST doesn't make sense; no data could be stored. "
                'This will be interpreted as SYSTEM_DEFAULT',
                stacklevel=4,
            )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, QoSProfile):
            return False
        return all(getattr(self, name) == getattr(other, name) for name in POLICIES)

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        fields = ', '.join(f'{name}={getattr(self, name)}' for name in sorted(POLICIES))
        return f'QoSProfile({fields})'

    __repr__ = __str__

    def get_c_qos_profile(self) -> rmw_qos_profile_t:
        """Return the profile as functions of `_rclpy_pybind11` take it."""
        return rmw_qos_profile_t(self)

    def to_profile(self) -> Profile:
        """Return the profile in the numbers of rmw."""
        return Profile(
            history=int(self.history),
            depth=self.depth,
            reliability=int(self.reliability),
            durability=int(self.durability),
            liveliness=int(self.liveliness),
            deadline=self.deadline.nanoseconds,
            lifespan=self.lifespan.nanoseconds,
            lease=self.liveliness_lease_duration.nanoseconds,
        )

    @classmethod
    def from_profile(cls, profile: Profile) -> QoSProfile:
        """Return the profile of a discovered endpoint."""
        history = HistoryPolicy(profile.history) if profile.history else HistoryPolicy.UNKNOWN
        return cls(
            history=history,
            depth=profile.depth,
            reliability=ReliabilityPolicy(profile.reliability),
            durability=DurabilityPolicy(profile.durability),
            liveliness=LivelinessPolicy(profile.liveliness),
            deadline=Duration(nanoseconds=profile.deadline),
            lifespan=Duration(nanoseconds=profile.lifespan),
            liveliness_lease_duration=Duration(nanoseconds=profile.lease),
        )


class rmw_qos_profile_t:  # noqa: N801 (the name in C)
    """A profile as functions of `_rclpy_pybind11` take it: no structure in C here."""

    def __init__(self, profile: QoSProfile) -> None:
        self._policies = {name: getattr(profile, name) for name in POLICIES}

    @staticmethod
    def predefined(name: str) -> rmw_qos_profile_t:
        """Return the profile of a name such as ``'qos_profile_default'``."""
        found = globals().get(name) if name.startswith('qos_profile_') else None
        if not isinstance(found, QoSProfile):
            raise ValueError(f'Requested unknown rmw_qos_profile: {name}')
        return rmw_qos_profile_t(found)

    def to_dict(self) -> dict[str, Any]:
        """Return the policies by name."""
        return dict(self._policies)


qos_profile_unknown = QoSProfile(
    history=HistoryPolicy.UNKNOWN,
    reliability=ReliabilityPolicy.UNKNOWN,
    durability=DurabilityPolicy.UNKNOWN,
    liveliness=LivelinessPolicy.UNKNOWN,
)
qos_profile_default = QoSProfile(depth=10)
qos_profile_system_default = QoSProfile(
    history=HistoryPolicy.SYSTEM_DEFAULT,
    reliability=ReliabilityPolicy.SYSTEM_DEFAULT,
    durability=DurabilityPolicy.SYSTEM_DEFAULT,
)
qos_profile_sensor_data = QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT)
qos_profile_services_default = QoSProfile(depth=10)
qos_profile_parameters = QoSProfile(depth=1000)
qos_profile_parameter_events = QoSProfile(depth=1000)
qos_profile_rosout_default = QoSProfile(
    depth=1000, durability=DurabilityPolicy.TRANSIENT_LOCAL, lifespan=Duration(seconds=10)
)
qos_profile_action_status_default = QoSProfile(
    depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL
)
qos_profile_best_available = QoSProfile(
    depth=10,
    reliability=ReliabilityPolicy.BEST_AVAILABLE,
    durability=DurabilityPolicy.BEST_AVAILABLE,
    deadline=DeadlineBestAvailable,
    liveliness=LivelinessPolicy.BEST_AVAILABLE,
    liveliness_lease_duration=LivelinessLeaseDurationeBestAvailable,
)


class QoSPresetProfiles(Enum):
    """The ready-made profiles."""

    UNKNOWN = qos_profile_unknown
    DEFAULT = qos_profile_default
    SYSTEM_DEFAULT = qos_profile_system_default
    SENSOR_DATA = qos_profile_sensor_data
    SERVICES_DEFAULT = qos_profile_services_default
    PARAMETERS = qos_profile_parameters
    PARAMETER_EVENTS = qos_profile_parameter_events
    ACTION_STATUS_DEFAULT = qos_profile_action_status_default
    BEST_AVAILABLE = qos_profile_best_available
    ROSOUT_DEFAULT = qos_profile_rosout_default

    @classmethod
    def short_keys(cls) -> list[str]:
        """Return the names in lower case."""
        return [name.lower() for name in cls.__members__]

    @classmethod
    def get_from_short_key(cls, name: str) -> QoSProfile:
        """Return the profile of that name."""
        return cls[name.upper()].value


class QoSPolicyKind(IntEnum):
    """Names of policies, as flags."""

    INVALID = 1 << 0
    DURABILITY = 1 << 1
    DEADLINE = 1 << 2
    LIVELINESS = 1 << 3
    RELIABILITY = 1 << 4
    HISTORY = 1 << 5
    LIFESPAN = 1 << 6
    DEPTH = 1 << 7
    LIVELINESS_LEASE_DURATION = 1 << 8
    AVOID_ROS_NAMESPACE_CONVENTIONS = 1 << 9


def qos_policy_name_from_kind(policy_kind: int) -> str:
    """Return the name of a policy, for example ``'RELIABILITY'``."""
    return QoSPolicyKind(policy_kind).name


class QoSCompatibility(IntEnum):
    """Whether a publisher and a subscription can talk."""

    OK = 0
    WARNING = 1
    ERROR = 2


def qos_check_compatible(
    publisher_qos: QoSProfile, subscription_qos: QoSProfile
) -> tuple[QoSCompatibility, str]:
    """
    Tell whether a publisher and a subscription with these profiles can talk.

    Returns
    -------
    QoSCompatibility
        `WARNING` if it depends on a default that is not known.
    str
        Why not; empty if they can.

    """
    reasons = []
    pub, sub = publisher_qos, subscription_qos
    if (pub.reliability, sub.reliability) == (
        ReliabilityPolicy.BEST_EFFORT,
        ReliabilityPolicy.RELIABLE,
    ):
        reasons.append('ERROR: Best effort publisher and reliable subscription;')
    if (pub.durability, sub.durability) == (
        DurabilityPolicy.VOLATILE,
        DurabilityPolicy.TRANSIENT_LOCAL,
    ):
        reasons.append('ERROR: Volatile publisher and transient local subscription;')
    if sub.deadline.nanoseconds and sub.deadline != DeadlineBestAvailable:
        if not pub.deadline.nanoseconds:
            reasons.append('ERROR: Subscription has a deadline, but publisher does not;')
        elif sub.deadline < pub.deadline:
            reasons.append('ERROR: Subscription deadline is less than publisher deadline;')
    if (pub.liveliness, sub.liveliness) == (
        LivelinessPolicy.AUTOMATIC,
        LivelinessPolicy.MANUAL_BY_TOPIC,
    ):
        reasons.append(
            "ERROR: Publisher's liveliness is automatic and subscription's is manual by topic;"
        )
    if reasons:
        return QoSCompatibility.ERROR, ''.join(reasons)
    unclear = ('SYSTEM_DEFAULT', 'UNKNOWN', 'BEST_AVAILABLE')
    for name in ('reliability', 'durability'):
        if getattr(pub, name).name in unclear or getattr(sub, name).name in unclear:
            reasons.append(f'WARNING: the {name} of one side is a default;')
    return (QoSCompatibility.WARNING if reasons else QoSCompatibility.OK), ''.join(reasons)
