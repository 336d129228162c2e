"""Newer name of the module `qos_event`."""

from ._rclpy_pybind11 import UnsupportedEventTypeError
from .qos_event import (
    EventHandler,
    IncompatibleTypeInfo,
    PublisherEventCallbacks,
    QoSEventHandler,
    QoSLivelinessChangedInfo,
    QoSLivelinessLostInfo,
    QoSMessageLostInfo,
    QoSOfferedDeadlineMissedInfo,
    QoSOfferedIncompatibleQoSInfo,
    QoSPublisherEventType,
    QoSPublisherMatchedInfo,
    QoSRequestedDeadlineMissedInfo,
    QoSRequestedIncompatibleQoSInfo,
    QoSSubscriptionEventType,
    QoSSubscriptionMatchedInfo,
    SubscriptionEventCallbacks,
)

__all__ = [
    'EventHandler',
    'IncompatibleTypeInfo',
    'PublisherEventCallbacks',
    'QoSEventHandler',
    'QoSLivelinessChangedInfo',
    'QoSLivelinessLostInfo',
    'QoSMessageLostInfo',
    'QoSOfferedDeadlineMissedInfo',
    'QoSOfferedIncompatibleQoSInfo',
    'QoSPublisherEventType',
    'QoSPublisherMatchedInfo',
    'QoSRequestedDeadlineMissedInfo',
    'QoSRequestedIncompatibleQoSInfo',
    'QoSSubscriptionEventType',
    'QoSSubscriptionMatchedInfo',
    'SubscriptionEventCallbacks',
    'UnsupportedEventTypeError',
]
