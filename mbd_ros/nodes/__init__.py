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

"""The nodes: they wire messages to numbers and hold no arithmetic."""

import os
import sys

from mbd_ros.nodes.executables import end_at_once

# Matrices are small. A thread of OpenBLAS that waits for another takes a processor meanwhile, and
# where others keep it from one, what takes 3 s took 40.
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

if sys.argv[:1] == ['-m']:   # python -m mbd_ros.nodes.NODE, before the node's own imports
    end_at_once()
