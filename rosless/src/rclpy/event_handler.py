"""Newer name of the module `qos_event`."""

from .qos_event import PublisherEventCallbacks, SubscriptionEventCallbacks

__all__ = ['PublisherEventCallbacks', 'SubscriptionEventCallbacks']
