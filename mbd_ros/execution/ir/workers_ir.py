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
IR of the threads that wait for work in native code, and of what callers do with them.

A *worker* is a block of words that a caller and one thread share:

=====  ======================================================================
0      state: see below
1      the task, ``void task(job)``
2      the job
3      1 while the thread sleeps in ``read``
4      1 when the thread shall end
5, 6   the two ends of a pipe: a byte in it wakes the thread
7      when a caller last found it asleep [ns]
8      until when callers leave it alone, for it was late [ns]
9      for how long they did, the last time [ns]
=====  ======================================================================

The state goes ``IDLE -> CLAIMED`` (a caller has the worker) ``-> POSTED -> RUNNING`` (the thread
has begun) ``-> DONE -> CLAIMED``, and at the end back to ``IDLE``. A task that nobody has begun is
taken back: ``POSTED -> CLAIMED``. One that is begun but late, because its thread lost the
processor, is left to the thread, ``RUNNING -> LOST``, which frees the job when it comes to that.

Whose thread was late, because another program has the processor, is left alone for a while: as
long as it takes to make up for the loss, and twice as long if it is late again. Each task done in
time shortens that by a sixteenth.

A thread without work looks for it for a while, then lets others run in between, then sleeps. To
wake it costs some microseconds; that is done for a caller who comes often.

"""

from __future__ import annotations

import platform
import time

IDLE, CLAIMED, POSTED, RUNNING, DONE, LOST = range(6)
WORDS = 16
"""Of 8 bytes in a worker: two cache lines, so that no two share one."""
LOOKS, YIELDS = 2000, 200
"""How often a thread looks for work in either way before it sleeps: some 50 and 100 us."""
OFTEN = 500_000
"""Time since the last call below which a thread that sleeps is woken [ns]."""
SHORTEST_REST, LONGEST_REST = 4_000_000, 1_000_000_000
"""Time for which a thread that was late is left alone [ns]; some 100 times what was lost."""
PATIENCE = 20_000
"""Time that a task which is late is given beyond the caller's own part of the work [ns]."""


def workers_ir() -> str:
    """
    Return the IR of what threads and callers do.

    ``void serve(worker)`` is the life of a thread. ``i1 claim(worker)``, ``void post(worker, task,
    job)``, ``i1 finish(worker, i64 posted)`` (1 if the task is done, 0 if it is lost), ``void
    leave(worker)`` and ``i64 now()`` [ns] are for callers. So are the single steps: ``i1
    take(worker)`` claims it even if it sleeps or was late, ``i1 retract(worker)`` takes back a
    task that is not begun, ``i1 abandon(worker)`` leaves one that is begun to the thread; each
    says whether it could. ``void pause()`` is for those who look again and again.

    """
    machine = platform.machine().lower()
    declare, relax = '', ''
    if machine in ('x86_64', 'amd64', 'i686'):
        declare, relax = 'declare void @llvm.x86.sse2.pause()', 'call void @llvm.x86.sse2.pause()'
    elif machine in ('aarch64', 'arm64'):
        declare, relax = 'declare void @llvm.aarch64.hint(i32)', (
            'call void @llvm.aarch64.hint(i32 1)')
    pause = 'call void @pause()'
    return f"""
declare i32 @sched_yield()
declare i64 @read(i32, ptr, i64)
declare i64 @write(i32, ptr, i64)
declare i32 @clock_gettime(i32, ptr)
declare void @free(ptr)
declare i64 @llvm.umax.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)
{declare}
define void @pause() alwaysinline nounwind {{
  {relax}
  ret void
}}
define i64 @now() nounwind {{
  %t = alloca [2 x i64]
  call i32 @clock_gettime(i32 {time.CLOCK_MONOTONIC}, ptr %t)
  %s = load i64, ptr %t
  %np = getelementptr i64, ptr %t, i64 1
  %n = load i64, ptr %np
  %s9 = mul i64 %s, 1000000000
  %r = add i64 %s9, %n
  ret i64 %r
}}
define i1 @claim(ptr %w) nounwind {{
  %ap = getelementptr i64, ptr %w, i64 3
  %asleep = load atomic i64, ptr %ap monotonic, align 8
  %sleeps = icmp eq i64 %asleep, 1
  br i1 %sleeps, label %ask, label %try
ask:
  %now = call i64 @now()
  %lp = getelementptr i64, ptr %w, i64 7
  %last = atomicrmw xchg ptr %lp, i64 %now monotonic
  %gap = sub i64 %now, %last
  %often = icmp slt i64 %gap, {OFTEN}
  br i1 %often, label %try, label %no
no:
  ret i1 0
try:
  %up = getelementptr i64, ptr %w, i64 8
  %until = load atomic i64, ptr %up monotonic, align 8
  %rested = icmp eq i64 %until, 0
  br i1 %rested, label %take, label %rests
rests:
  %clock = call i64 @now()
  %over = icmp sge i64 %clock, %until
  br i1 %over, label %rise, label %no
rise:
  store atomic i64 0, ptr %up monotonic, align 8
  br label %take
take:
  %ok = call i1 @take(ptr %w)
  ret i1 %ok
}}
define i1 @take(ptr %w) nounwind {{
  %x = cmpxchg ptr %w, i64 {IDLE}, i64 {CLAIMED} acquire monotonic
  %ok = extractvalue {{i64, i1}} %x, 1
  ret i1 %ok
}}
define i1 @retract(ptr %w) nounwind {{
  %x = cmpxchg ptr %w, i64 {POSTED}, i64 {CLAIMED} acquire acquire
  %ok = extractvalue {{i64, i1}} %x, 1
  ret i1 %ok
}}
define i1 @abandon(ptr %w) nounwind {{
  %x = cmpxchg ptr %w, i64 {RUNNING}, i64 {LOST} acq_rel acquire
  %ok = extractvalue {{i64, i1}} %x, 1
  ret i1 %ok
}}
define void @leave(ptr %w) nounwind {{
  store atomic i64 {IDLE}, ptr %w release, align 8
  ret void
}}
define void @post(ptr %w, ptr %task, ptr %job) nounwind {{
  %tp = getelementptr ptr, ptr %w, i64 1
  store ptr %task, ptr %tp
  %jp = getelementptr ptr, ptr %w, i64 2
  store ptr %job, ptr %jp
  store atomic i64 {POSTED}, ptr %w seq_cst, align 8
  %ap = getelementptr i64, ptr %w, i64 3
  %asleep = atomicrmw xchg ptr %ap, i64 0 seq_cst
  %wake = icmp eq i64 %asleep, 1
  br i1 %wake, label %ring, label %out
ring:
  %fp = getelementptr i64, ptr %w, i64 6
  %f = load i64, ptr %fp
  %f32 = trunc i64 %f to i32
  call i64 @write(i32 %f32, ptr %ap, i64 1)
  br label %out
out:
  ret void
}}
define i1 @finish(ptr %w, i64 %posted) nounwind {{
entry:
  %mine = call i1 @retract(ptr %w)
  br i1 %mine, label %back, label %begun
back:
  %tp = getelementptr ptr, ptr %w, i64 1
  %task = load ptr, ptr %tp
  %jp = getelementptr ptr, ptr %w, i64 2
  %job = load ptr, ptr %jp
  call void %task(ptr %job)
  ret i1 1
begun:
  %rp = getelementptr i64, ptr %w, i64 9
  %rest = load atomic i64, ptr %rp monotonic, align 8
  %start = call i64 @now()
  %own = sub i64 %start, %posted
  %grace = add i64 %own, {PATIENCE}
  %end = add i64 %start, %grace
  br label %look
look:
  %i = phi i64 [0, %begun], [%j, %spin], [0, %yield]
  %s = load atomic i64, ptr %w acquire, align 8
  %done = icmp eq i64 %s, {DONE}
  br i1 %done, label %good, label %wait
wait:
  %j = add i64 %i, 1
  %more = icmp slt i64 %i, 200
  br i1 %more, label %spin, label %ask
spin:
  {pause}
  br label %look
ask:
  %t = call i64 @now()
  %late = icmp sgt i64 %t, %end
  br i1 %late, label %lose, label %yield
yield:
  call i32 @sched_yield()
  br label %look
lose:
  %lost = call i1 @abandon(ptr %w)
  br i1 %lost, label %bad, label %good
bad:
  %twice = mul i64 %rest, 2
  %some = call i64 @llvm.umax.i64(i64 %twice, i64 {SHORTEST_REST})
  %long = call i64 @llvm.umin.i64(i64 %some, i64 {LONGEST_REST})
  store atomic i64 %long, ptr %rp monotonic, align 8
  %until = add i64 %t, %long
  %up = getelementptr i64, ptr %w, i64 8
  store atomic i64 %until, ptr %up monotonic, align 8
  ret i1 0
good:
  %part = udiv i64 %rest, 16
  %less = sub i64 %rest, %part
  store atomic i64 %less, ptr %rp monotonic, align 8
  store atomic i64 {CLAIMED}, ptr %w monotonic, align 8
  ret i1 1
}}
define void @serve(ptr %w) nounwind {{
entry:
  %byte = alloca i8
  %tp = getelementptr ptr, ptr %w, i64 1
  %jp = getelementptr ptr, ptr %w, i64 2
  %ap = getelementptr i64, ptr %w, i64 3
  %ep = getelementptr i64, ptr %w, i64 4
  %fp = getelementptr i64, ptr %w, i64 5
  %f = load i64, ptr %fp
  %f32 = trunc i64 %f to i32
  br label %look
look:
  %i = phi i64 [0, %entry], [%j, %spin], [%j, %yield], [0, %worked], [0, %woken]
  %x = load atomic i64, ptr %w monotonic, align 8
  %ready = icmp eq i64 %x, {POSTED}
  br i1 %ready, label %take, label %idle
take:
  %c = cmpxchg ptr %w, i64 {POSTED}, i64 {RUNNING} acquire monotonic
  %mine = extractvalue {{i64, i1}} %c, 1
  br i1 %mine, label %work, label %idle
work:
  %task = load ptr, ptr %tp
  %job = load ptr, ptr %jp
  call void %task(ptr %job)
  %d = cmpxchg ptr %w, i64 {RUNNING}, i64 {DONE} acq_rel acquire
  %wanted = extractvalue {{i64, i1}} %d, 1
  br i1 %wanted, label %worked, label %drop
drop:
  call void @free(ptr %job)
  store atomic i64 {IDLE}, ptr %w release, align 8
  br label %worked
worked:
  br label %look
idle:
  %e = load atomic i64, ptr %ep monotonic, align 8
  %end = icmp ne i64 %e, 0
  br i1 %end, label %out, label %wait
wait:
  %j = add i64 %i, 1
  %early = icmp slt i64 %i, {LOOKS}
  br i1 %early, label %spin, label %later
spin:
  {pause}
  br label %look
later:
  %awake = icmp slt i64 %i, {LOOKS + YIELDS}
  br i1 %awake, label %yield, label %doze
yield:
  call i32 @sched_yield()
  br label %look
doze:
  store atomic i64 1, ptr %ap seq_cst, align 8
  %again = load atomic i64, ptr %w seq_cst, align 8
  %came = icmp eq i64 %again, {POSTED}
  br i1 %came, label %woken, label %sleep
sleep:
  call i64 @read(i32 %f32, ptr %byte, i64 1)
  br label %woken
woken:
  store atomic i64 0, ptr %ap seq_cst, align 8
  br label %look
out:
  ret void
}}
"""
