"""
Executors: how the sweeps of a formulation run.

``Interpreted`` calls the steps with Python floats; ``Compiled`` traces them once for each model
and runs machine code.

"""

from mbd_ros.execution.choice import choose
from mbd_ros.execution.compiled import Compiled
from mbd_ros.execution.interpreted import Interpreted
from mbd_ros.execution.kernel import Executor, Kernel

__all__ = ['Compiled', 'Executor', 'Interpreted', 'Kernel', 'choose']
