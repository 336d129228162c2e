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
Executors: how the sweeps of a formulation run.

``Interpreted`` calls the steps with Python floats; ``Compiled`` traces them and runs machine code,
batches or subtrees of equal shape in the lanes of vector registers (``Lanes`` insists on that);
``Threads`` shares batches among threads, ``Auto`` chooses, ``Futures`` shares among the workers
of any ``concurrent.futures.Executor``.

"""

from mbd_ros.execution.executors.choice import Auto, choose, forced
from mbd_ros.execution.executors.compiled import Compiled
from mbd_ros.execution.executors.futures import Futures
from mbd_ros.execution.executors.lanes import Lanes
from mbd_ros.execution.executors.threads import Threads
from mbd_ros.execution.program.interpreted import Interpreted
from mbd_ros.execution.program.kernel import Executor, Kernel

__all__ = [
    'Auto', 'Compiled', 'Executor', 'Futures', 'Interpreted', 'Kernel', 'Lanes',
    'Threads', 'choose', 'forced']
