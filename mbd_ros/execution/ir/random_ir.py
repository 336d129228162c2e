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
Random numbers in machine code.

References
----------
Steele, Lea, Flood, Fast splittable pseudorandom number generators, 2014 (SplitMix64).

"""

from __future__ import annotations


def uniform_ir(count: int) -> str:
    """
    Return the IR of ``kernel(state, ranges, result)``: numbers between limits.

    Parameters
    ----------
    count : int
        How many numbers, one or more. ``state`` is one i64, which goes on; ``ranges`` are (count,
        2): the least number and the width.

    """
    return f"""
define void @kernel(ptr noalias %state, ptr noalias readonly %ranges, ptr noalias %result)
    nounwind {{
entry:
  %first = load i64, ptr %state
  br label %number
number:
  %k = phi i64 [0, %entry], [%next, %number]
  %before = phi i64 [%first, %entry], [%now, %number]
  %now = add i64 %before, {0x9E3779B97F4A7C15}
  %a = lshr i64 %now, 30
  %b = xor i64 %now, %a
  %c = mul i64 %b, {0xBF58476D1CE4E5B9}
  %d = lshr i64 %c, 27
  %e = xor i64 %c, %d
  %f = mul i64 %e, {0x94D049BB133111EB}
  %g = lshr i64 %f, 31
  %bits = xor i64 %f, %g
  %high = lshr i64 %bits, 11
  %whole = uitofp i64 %high to double
  %part = fmul double %whole, 0x3CA0000000000000
  %range = getelementptr [2 x double], ptr %ranges, i64 %k
  %least = load double, ptr %range
  %widthp = getelementptr double, ptr %range, i64 1
  %width = load double, ptr %widthp
  %beyond = fmul double %width, %part
  %found = fadd double %least, %beyond
  %place = getelementptr double, ptr %result, i64 %k
  store double %found, ptr %place
  %next = add i64 %k, 1
  %more = icmp slt i64 %next, {count}
  br i1 %more, label %number, label %done
done:
  store i64 %now, ptr %state
  ret void
}}"""
