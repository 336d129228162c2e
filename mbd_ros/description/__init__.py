"""Files to Mechanism: what a robot is, as its author wrote it."""

from mbd_ros.description.finding import Finding, Source
from mbd_ros.description.mechanism import Joint, Link, Mechanism
from mbd_ros.description.read import read

__all__ = ['Finding', 'Joint', 'Link', 'Mechanism', 'Source', 'read']
