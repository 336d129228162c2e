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

"""How long it takes two processors to hand work over: the floor of threads within one state."""

from __future__ import annotations

import ctypes

import numpy as np

from mbd_ros.execution.ir.machine_code import MachineCode
from mbd_ros.execution.ir.workers_ir import POSTED
from mbd_ros.execution.threads.workers import native, workers

ROUNDS = 5000


def hand_over() -> np.ndarray:
    """Return the times [us] to give an empty task to a thread that looks for work, and back."""
    times = np.zeros(ROUNDS, dtype=np.int64)
    code = MachineCode(_ir())
    ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(code.address('measure'))(
        workers(1)[0], times.ctypes.data)
    return times * 1e-3


def _ir() -> str:
    claim, post, finish, leave, now = (f'inttoptr (i64 {native().address(name)} to ptr)' for name
                                       in ('claim', 'post', 'finish', 'leave', 'now'))
    return f"""
define void @nothing(ptr %job) {{
  ret void
}}
define void @measure(ptr %worker, ptr %times) {{
entry:
  call i1 {claim}(ptr %worker)
  br label %each
each:
  %i = phi i64 [0, %entry], [%j, %done]
  %begin = call i64 {now}()
  call void {post}(ptr %worker, ptr @nothing, ptr %worker)
  br label %wait
wait:  ; until the thread has it, lest it be taken back
  %state = load atomic i64, ptr %worker acquire, align 8
  %posted = icmp eq i64 %state, {POSTED}
  br i1 %posted, label %wait, label %begun
begun:
  %kept = call i1 {finish}(ptr %worker, i64 %begin)
  %end = call i64 {now}()
  %time = sub i64 %end, %begin
  %place = getelementptr i64, ptr %times, i64 %i
  store i64 %time, ptr %place
  br label %done
done:
  %j = add i64 %i, 1
  %more = icmp slt i64 %j, {ROUNDS}
  br i1 %more, label %each, label %out
out:
  call void {leave}(ptr %worker)
  ret void
}}"""
