"""Files to Mechanism: a robot as its author wrote it."""

from typing import TYPE_CHECKING

from mbd_ros.description.read import read
from mbd_ros.description.records.finding import Finding, Source
from mbd_ros.description.records.mechanism import Joint, Link, Mechanism
from mbd_ros.on_demand import on_demand

if TYPE_CHECKING:
    from mbd_ros.description.urdf.loops_yaml import read_loops_yaml
    from mbd_ros.description.xml.xacro_file import expand_xacro
else:
    __getattr__, __dir__ = on_demand(__name__, {
        'mbd_ros.description.urdf.loops_yaml': ('read_loops_yaml',),
        'mbd_ros.description.xml.xacro_file': ('expand_xacro',)})

__all__ = [
    'Finding', 'Joint', 'Link', 'Mechanism', 'Source', 'expand_xacro', 'read', 'read_loops_yaml']
