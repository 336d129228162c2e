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

"""What compiling here leaves as it was for others in the same process."""

import subprocess
import sys

import llvmlite.binding as llvm
import pytest
from robots import chain

import mbd_ros
from mbd_ros.dynamics.algorithms.forward_dynamics import FORWARD_DYNAMICS
from mbd_ros.errors import MachineError
from mbd_ros.execution.ir import machine_code
from mbd_ros.execution.ir.machine_code import MachineCode, target_machine
from mbd_ros.execution.ir.straight_line import SCALAR
from mbd_ros.execution.unrolled.code import unrolled_ir


def emitted(text):
    """Compile as any other user of llvmlite."""
    machine = target_machine()
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    return machine.emit_object(module)


def test_the_order_of_instructions_is_left_alone_here_and_only_here(monkeypatch):
    monkeypatch.setenv('MBD_ROS_CACHE', 'off')
    text = unrolled_ir(FORWARD_DYNAMICS, mbd_ros.load(chain(3, 0)), SCALAR)
    before = emitted(text)
    with machine_code._unscheduled():
        assert emitted(text) != before
    MachineCode(text)
    assert emitted(text) == before


def test_a_version_of_llvm_that_is_not_known_gets_no_option(monkeypatch):
    monkeypatch.setattr(machine_code, '_KNOW_SCHEDULING', ())
    asked = []
    monkeypatch.setattr(machine_code.llvm, 'set_option', lambda *option: asked.append(option))
    MachineCode('define void @nothing() {\n  ret void\n}')
    assert asked == []


def test_memory_that_cannot_be_made_executable_is_told_before_a_call_crashes(monkeypatch):
    machine_code.check_executable_memory.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(machine_code.mmap, 'PROT_EXEC', 1 << 20)   # the system refuses this bit
        with pytest.raises(MachineError, match=r'refuses executable memory \(mprotect: Invalid arg'
                           '.*MemoryDenyWriteExecute.*interpreted'):
            MachineCode('define void @nothing() {\n  ret void\n}')
    MachineCode('define void @nothing() {\n  ret void\n}')


WITHOUT_EXECUTABLE_MEMORY = """
import ctypes
import mbd_ros
from mbd_ros.errors import MachineError
from mbd_ros.execution.ir import machine_code
PR_SET_MDWE, REFUSE_EXEC_GAIN = 65, 1   # what MemoryDenyWriteExecute of systemd asks for
if ctypes.CDLL(None).prctl(PR_SET_MDWE, REFUSE_EXEC_GAIN, 0, 0, 0):   # Linux before 6.3
    machine_code.mmap.PROT_EXEC = 1 << 20
model, zero = mbd_ros.load('package://mbd_ros/urdf/puma560.urdf'), [0.0] * 6
mbd_ros.forward_dynamics(model, zero, zero, zero, executor='interpreted')
mbd_ros.mass_matrix(model, zero, executor='interpreted')
for _ in range(2):   # also the second time
    try:
        mbd_ros.forward_dynamics(model, zero, zero, zero)
    except MachineError as error:
        print(error.code)
"""


def test_a_program_without_executable_memory_gets_an_error_and_goes_on():
    found = subprocess.run([sys.executable, '-c', WITHOUT_EXECUTABLE_MEMORY], check=False,
                           capture_output=True, text=True)
    assert (found.returncode, found.stdout) == (0, 'NOT_SUPPORTED\n' * 2), found.stderr
