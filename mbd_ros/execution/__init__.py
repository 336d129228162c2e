"""
Executors: how the sweeps of a formulation run.

``Interpreted`` calls the steps with Python floats; ``Compiled`` traces them and runs machine code,
batches or subtrees of equal shape in the lanes of vector registers (``Lanes`` insists on that);
``Threads`` shares batches among threads, ``Auto`` where that pays, ``Futures`` among the workers
of any ``concurrent.futures.Executor``.

"""

from mbd_ros.execution.auto import Auto
from mbd_ros.execution.choice import choose, forced
from mbd_ros.execution.compiled import Compiled
from mbd_ros.execution.futures import Futures
from mbd_ros.execution.interpreted import Interpreted
from mbd_ros.execution.kernel import Executor, Kernel
from mbd_ros.execution.lanes import Lanes
from mbd_ros.execution.threads import Threads

__all__ = [
    'Auto', 'Compiled', 'Executor', 'Futures', 'Interpreted', 'Kernel', 'Lanes',
    'Threads', 'choose', 'forced']
