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
