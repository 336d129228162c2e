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

"""A plain program of Cyclone DDS that uses our topic names in its way: ``stranger.py KIND``."""

from collections.abc import Callable
from dataclasses import dataclass
import os
import sys
import time
from typing import Any

from cyclonedds.core import DDSException
from cyclonedds.domain import Domain, DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.annotations import key
from cyclonedds.idl.types import float64, int32, sequence
from cyclonedds.pub import DataWriter
from cyclonedds.qos import Policy, Qos
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.util import duration
from rosless.dds.config import configuration, domain_id

NAMES = ('rt/joint_states', 'rt/effort_controller/commands', 'rt/controller/joint_trajectory',
         'rt/robot_description', 'rt/tf', 'rt/controller/state', 'rt/rosout',
         'rt/parameter_events', 'ros_discovery_info', 'rq/dynamics_server/mass_matrixRequest',
         'rr/dynamics_server/mass_matrixReply',
         'rq/controller/follow_path/_action/send_goalRequest')
TIMES = 50


@dataclass
class Own(IdlStruct, typename='their::own::Type'):
    """A type that no ROS program knows."""

    number: int32
    text: str


@dataclass
class Keyed(IdlStruct, typename='sensor_msgs::msg::dds_::JointState_'):
    """A type of the name of one of ours, with a key and other fields."""

    identity: int32
    values: sequence[float64]
    key('identity')


@dataclass
class Numbers(IdlStruct, typename='std_msgs::msg::dds_::Float64MultiArray_'):
    """Another with a name of ours: a number where ours has a layout."""

    value: float64


@dataclass
class Words(IdlStruct, typename='std_msgs::msg::dds_::String_'):
    """Another: many texts where ours has one."""

    texts: sequence[str]


OWN = Own(7, 'x' * 1000)
SAMPLES: tuple[Any, ...] = (OWN, Keyed(1, [1.0] * 9), Numbers(1.0), Words(['<robot>'] * 20))
PROFILES = (
    Qos(Policy.Reliability.BestEffort, Policy.Durability.Volatile),
    Qos(Policy.Reliability.Reliable(duration(seconds=1)), Policy.Durability.TransientLocal),
    Qos(Policy.Reliability.Reliable(0), Policy.Durability.TransientLocal,
        Policy.History.KeepAll, Policy.Deadline(duration(milliseconds=1)),
        Policy.Lifespan(duration(milliseconds=1)), Policy.Ownership.Exclusive,
        Policy.OwnershipStrength(10**9), Policy.Partition(['', '*', 'a' * 1000]),
        Policy.Userdata(b'enclave=;' * 1000)),
    Qos(Policy.Reliability.Reliable(0), Policy.Durability.TransientLocal,
        Policy.Userdata(b'clientid=' + b'\xff\0;=' * 3000)),
    Qos(Policy.Reliability.BestEffort, Policy.Liveliness.ManualByTopic(duration(milliseconds=2)),
        Policy.Userdata('serviceid=\u202e;enclave=/../..;'.encode())),
)


def types(participant: DomainParticipant) -> None:
    """Write samples of other types to all topics."""
    writers = []
    for name in NAMES:
        for sample in SAMPLES:
            try:   # one type for each name and participant
                topic = Topic(DomainParticipant(domain_id()), name, type(sample))
                writers.append((DataWriter(topic.participant, topic), sample))
            except DDSException:
                continue
    write(writers)


def profiles(participant: DomainParticipant) -> None:
    """Write and read with profiles that fit ours not at all, or only in part."""
    writers, readers = [], []
    for name in NAMES:
        topic = Topic(participant, name, Own)
        for profile in PROFILES:
            writers.append((DataWriter(participant, topic, qos=profile), OWN))
            readers.append(DataReader(participant, topic, qos=profile))
    write(writers)


def churn(participant: DomainParticipant) -> None:
    """Make and remove participants, topics and endpoints at once."""
    print('begun', flush=True)
    for turn in range(TIMES):
        other = DomainParticipant(domain_id())
        ends = [DataWriter(other, Topic(other, f'{name}{turn % 7}', Own)) for name in NAMES]
        del ends, other


def participants(participant: DomainParticipant) -> None:
    """Be many for a while, and leave without a word."""
    count = int(sys.argv[2])
    many = []
    for _ in range(count):
        try:
            many.append(DomainParticipant(domain_id()))
        except DDSException:   # no port is left
            break
    print(f'begun {len(many)}', flush=True)
    time.sleep(20.0)
    os._exit(0)


def write(writers: list[tuple[Any, Any]]) -> None:
    """Write with all of them, some times."""
    print('begun', flush=True)
    time.sleep(1.0)
    for _ in range(TIMES):
        for writer, sample in writers:
            try:
                writer.write(sample)
            except DDSException:   # nobody reads it in time
                continue
        time.sleep(0.02)


KINDS: dict[str, Callable[[DomainParticipant], None]] = {
    'types': types, 'profiles': profiles, 'churn': churn, 'participants': participants}


def main() -> None:
    """Do one of them."""
    domain = Domain(domain_id(), configuration())
    KINDS[sys.argv[1]](DomainParticipant(domain_id()))
    del domain


if __name__ == '__main__':
    main()
