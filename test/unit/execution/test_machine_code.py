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

import llvmlite.binding as llvm
from robots import chain

import mbd_ros
from mbd_ros.dynamics.formulations.recursive import FORWARD_DYNAMICS
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
