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
IR of a batch that a caller and some workers share (``workers_ir.py``).

Dynamic scheduling: each idle thread takes the next block of rows from one counter. The table of a
call:

======  =====================================================================
0       ``i64 rows(arrays, i64 first, i64 count, to)``: computes some rows, to where the first
        belongs; gives 1 if all numbers are finite
1       rows in all
2       rows of a block, and then all workers are asked; 0 if ``share`` shall say
3       rows that are computed at a time, which are the least
4, 5    the result: bytes of a row, and where it is
6, 7..  number of arrays, and where they are
======  =====================================================================

A worker computes a block in memory of its own and copies it to the result when it is complete. So
the caller need not wait for a thread that lost the processor in the middle of a block: it takes
the block away and computes it itself. The thread finds its block gone, leaves the result alone and
takes no other. It still reads the arrays: they must live until its worker is no longer ``LOST``.

All blocks begin at multiples of their length, which is one of the lanes': rows lie in the same
lanes by whichever thread, and as on one thread.

"""

from __future__ import annotations

from mbd_ros.execution.ir.workers_ir import DONE, PATIENCE

SMALLEST_SHARE = 512
"""Rows below which a share does not repay waking a thread, which takes some 50 us."""
BLOCK_BYTES = 16384
"""
Bytes of results in a block at most: about 20 us of forward dynamics of any robot, and little
enough to stay in the first cache until they are copied.
"""
BLOCKS = 8
"""For each thread at least, so that none waits long for the last."""
CALL = 16
"""Words before a copy of the caller's, in what all share: 0 the counter, 8 users, 9 finite."""
BLOCK = 8
"""Words before a worker's own memory: 0 the first row of its block, 1 what all share."""
NONE, TAKEN_AWAY = -1, -2
"""Instead of a row: the worker is between blocks; the caller took its block away."""


def shares_ir() -> str:
    """
    Return the IR of ``i64 share(call, workers, i64 count)``; it belongs to that of the workers.

    It gives the sum of 1 if all numbers are finite and 2 if a worker was left behind. Of the
    workers it asks as many as have a share of ``SMALLEST_SHARE`` rows or more.
    """
    return f"""
declare ptr @malloc(i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
define private void @let_go(ptr %all) nounwind {{
  %up = getelementptr i64, ptr %all, i64 8
  %users = atomicrmw sub ptr %up, i64 1 acq_rel
  %last = icmp eq i64 %users, 1
  br i1 %last, label %drop, label %out
drop:
  call void @free(ptr %all)
  br label %out
out:
  ret void
}}
define private i64 @next(ptr %all) nounwind {{
  %bp = getelementptr i64, ptr %all, i64 {CALL + 2}
  %block = load i64, ptr %bp
  %row = atomicrmw add ptr %all, i64 %block monotonic
  ret i64 %row
}}
define private i1 @left(ptr %all, i64 %row) nounwind {{
  %np = getelementptr i64, ptr %all, i64 {CALL + 1}
  %n = load i64, ptr %np
  %yes = icmp slt i64 %row, %n
  ret i1 %yes
}}
define private {{i64, i64}} @extent(ptr %all, i64 %row) nounwind {{
  %np = getelementptr i64, ptr %all, i64 {CALL + 1}
  %n = load i64, ptr %np
  %bp = getelementptr i64, ptr %all, i64 {CALL + 2}
  %block = load i64, ptr %bp
  %lp = getelementptr i64, ptr %all, i64 {CALL + 3}
  %least = load i64, ptr %lp
  %rest = sub i64 %n, %row
  %some = call i64 @llvm.smin.i64(i64 %rest, i64 %block)
  %few = icmp slt i64 %some, %least
  %back = sub i64 %n, %least
  %first = select i1 %few, i64 %back, i64 %row
  %count = select i1 %few, i64 %least, i64 %some
  %one = insertvalue {{i64, i64}} poison, i64 %first, 0
  %both = insertvalue {{i64, i64}} %one, i64 %count, 1
  ret {{i64, i64}} %both
}}
define private ptr @place(ptr %all, i64 %first) nounwind {{
  %sp = getelementptr i64, ptr %all, i64 {CALL + 4}
  %size = load i64, ptr %sp
  %rp = getelementptr i64, ptr %all, i64 {CALL + 5}
  %result = load ptr, ptr %rp
  %offset = mul i64 %first, %size
  %to = getelementptr i8, ptr %result, i64 %offset
  ret ptr %to
}}
define private i64 @compute(ptr %all, i64 %first, i64 %count, ptr %to) nounwind {{
  %fp = getelementptr i64, ptr %all, i64 {CALL}
  %rows = load ptr, ptr %fp
  %arrays = getelementptr i64, ptr %all, i64 {CALL + 7}
  %finite = call i64 %rows(ptr %arrays, i64 %first, i64 %count, ptr %to)
  ret i64 %finite
}}
define private void @note(ptr %all, i64 %finite) nounwind {{
  %good = icmp ne i64 %finite, 0
  br i1 %good, label %out, label %bad
bad:
  %fp = getelementptr i64, ptr %all, i64 9
  store atomic i64 0, ptr %fp monotonic, align 8
  br label %out
out:
  ret void
}}
define private void @here(ptr %all, i64 %row) nounwind {{
  %extent = call {{i64, i64}} @extent(ptr %all, i64 %row)
  %first = extractvalue {{i64, i64}} %extent, 0
  %count = extractvalue {{i64, i64}} %extent, 1
  %to = call ptr @place(ptr %all, i64 %first)
  %finite = call i64 @compute(ptr %all, i64 %first, i64 %count, ptr %to)
  call void @note(ptr %all, i64 %finite)
  ret void
}}
define private void @help_out(ptr %job) nounwind {{
entry:
  %ap = getelementptr ptr, ptr %job, i64 1
  %all = load ptr, ptr %ap
  %own = getelementptr i64, ptr %job, i64 {BLOCK}
  %sp = getelementptr i64, ptr %all, i64 {CALL + 4}
  br label %each
each:
  %row = call i64 @next(ptr %all)
  %more = call i1 @left(ptr %all, i64 %row)
  br i1 %more, label %begin, label %out
begin:
  store atomic i64 %row, ptr %job release, align 8
  %extent = call {{i64, i64}} @extent(ptr %all, i64 %row)
  %first = extractvalue {{i64, i64}} %extent, 0
  %count = extractvalue {{i64, i64}} %extent, 1
  %finite = call i64 @compute(ptr %all, i64 %first, i64 %count, ptr %own)
  %x = cmpxchg ptr %job, i64 %row, i64 {NONE} acq_rel acquire
  %mine = extractvalue {{i64, i1}} %x, 1
  br i1 %mine, label %keep, label %out
keep:
  call void @note(ptr %all, i64 %finite)
  %to = call ptr @place(ptr %all, i64 %first)
  %size = load i64, ptr %sp
  %bytes = mul i64 %count, %size
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %own, i64 %bytes, i1 false)
  br label %each
out:
  call void @let_go(ptr %all)
  ret void
}}
define private void @ask(ptr %all, ptr %w, ptr %slot) nounwind {{
entry:
  store ptr null, ptr %slot
  %free = call i1 @take(ptr %w)
  br i1 %free, label %make, label %out
make:
  %bp = getelementptr i64, ptr %all, i64 {CALL + 2}
  %block = load i64, ptr %bp
  %sp = getelementptr i64, ptr %all, i64 {CALL + 4}
  %size = load i64, ptr %sp
  %own = mul i64 %block, %size
  %bytes = add i64 %own, {8 * BLOCK}
  %job = call ptr @malloc(i64 %bytes)
  %none = icmp eq ptr %job, null
  br i1 %none, label %give, label %hand
give:
  call void @leave(ptr %w)
  br label %out
hand:
  store i64 {NONE}, ptr %job
  %ap = getelementptr ptr, ptr %job, i64 1
  store ptr %all, ptr %ap
  %up = getelementptr i64, ptr %all, i64 8
  atomicrmw add ptr %up, i64 1 monotonic
  store ptr %job, ptr %slot
  call void @post(ptr %w, ptr @help_out, ptr %job)
  br label %out
out:
  ret void
}}
define private i64 @collect(ptr %all, ptr %w, ptr %job, i64 %until) nounwind {{
entry:
  %back = call i1 @retract(ptr %w)
  br i1 %back, label %unused, label %look
unused:
  call void @let_go(ptr %all)
  br label %done
look:
  %i = phi i64 [0, %entry], [%j, %spin], [0, %yield]
  %s = load atomic i64, ptr %w acquire, align 8
  %ready = icmp eq i64 %s, {DONE}
  br i1 %ready, label %done, label %wait
wait:
  %j = add i64 %i, 1
  %more = icmp slt i64 %i, 50
  br i1 %more, label %spin, label %late
spin:
  call void @pause()
  br label %look
late:
  %t = call i64 @now()
  %over = icmp sgt i64 %t, %until
  br i1 %over, label %seek, label %yield
seek:
  %row = load atomic i64, ptr %job acquire, align 8
  %busy = icmp sge i64 %row, 0
  br i1 %busy, label %snatch, label %yield
snatch:
  %x = cmpxchg ptr %job, i64 %row, i64 {TAKEN_AWAY} acq_rel acquire
  %mine = extractvalue {{i64, i1}} %x, 1
  br i1 %mine, label %again, label %yield
yield:
  call i32 @sched_yield()
  br label %look
again:
  call void @here(ptr %all, i64 %row)
  %behind = call i1 @abandon(ptr %w)
  br i1 %behind, label %lost, label %done
done:
  call void @free(ptr %job)
  call void @leave(ptr %w)
  ret i64 0
lost:
  ret i64 2
}}
define private i64 @block(ptr %call, i64 %threads) nounwind {{
  %np = getelementptr i64, ptr %call, i64 1
  %n = load i64, ptr %np
  %lp = getelementptr i64, ptr %call, i64 3
  %lanes = load i64, ptr %lp
  %sp = getelementptr i64, ptr %call, i64 4
  %size = load i64, ptr %sp
  %one = call i64 @llvm.smax.i64(i64 %size, i64 1)
  %most = udiv i64 {BLOCK_BYTES}, %one
  %blocks = mul i64 %threads, {BLOCKS}
  %even = udiv i64 %n, %blocks
  %rows = call i64 @llvm.smin.i64(i64 %most, i64 %even)
  %full = udiv i64 %rows, %lanes
  %some = call i64 @llvm.smax.i64(i64 %full, i64 1)
  %block = mul i64 %some, %lanes
  ret i64 %block
}}
define i64 @share(ptr %call, ptr %workers, i64 %most) nounwind {{
entry:
  %np = getelementptr i64, ptr %call, i64 1
  %n = load i64, ptr %np
  %shares = udiv i64 %n, {SMALLEST_SHARE}
  %helped = call i64 @llvm.smax.i64(i64 %shares, i64 1)
  %useful = sub i64 %helped, 1
  %some = call i64 @llvm.smin.i64(i64 %useful, i64 %most)
  %threads = add i64 %some, 1
  %own = call i64 @block(ptr %call, i64 %threads)
  %gp = getelementptr i64, ptr %call, i64 2
  %given = load i64, ptr %gp
  %free = icmp eq i64 %given, 0
  %block = select i1 %free, i64 %own, i64 %given
  %count = select i1 %free, i64 %some, i64 %most
  %jobs = alloca ptr, i64 %count
  %kp = getelementptr i64, ptr %call, i64 6
  %k = load i64, ptr %kp
  %words = add i64 %k, 7
  %bytes = shl i64 %words, 3
  %size = add i64 %bytes, {8 * CALL}
  %all = call ptr @malloc(i64 %size)
  store i64 0, ptr %all
  %up = getelementptr i64, ptr %all, i64 8
  store i64 1, ptr %up
  %fp = getelementptr i64, ptr %all, i64 9
  store i64 1, ptr %fp
  %cp = getelementptr i64, ptr %all, i64 {CALL}
  call void @llvm.memcpy.p0.p0.i64(ptr %cp, ptr %call, i64 %bytes, i1 false)
  %bp = getelementptr i64, ptr %all, i64 {CALL + 2}
  store i64 %block, ptr %bp
  br label %asking
asking:
  %a = phi i64 [0, %entry], [%a1, %one]
  %others = icmp slt i64 %a, %count
  br i1 %others, label %one, label %each
one:
  %awp = getelementptr ptr, ptr %workers, i64 %a
  %aw = load ptr, ptr %awp
  %ajp = getelementptr ptr, ptr %jobs, i64 %a
  call void @ask(ptr %all, ptr %aw, ptr %ajp)
  %a1 = add i64 %a, 1
  br label %asking
each:
  %began = phi i64 [0, %asking], [%begin, %work]
  %ended = phi i64 [0, %asking], [%end, %work]
  %row = call i64 @next(ptr %all)
  %more = call i1 @left(ptr %all, i64 %row)
  br i1 %more, label %work, label %over
work:
  %begin = call i64 @now()
  call void @here(ptr %all, i64 %row)
  %end = call i64 @now()
  br label %each
over:
  %took = sub i64 %ended, %began
  %t = call i64 @now()
  %soon = add i64 %t, {PATIENCE}
  %until = add i64 %soon, %took
  br label %collecting
collecting:
  %b = phi i64 [0, %over], [%b1, %other], [%b1, %fetch]
  %lost = phi i64 [0, %over], [%lost, %other], [%lost1, %fetch]
  %remain = icmp slt i64 %b, %count
  br i1 %remain, label %other, label %out
other:
  %b1 = add i64 %b, 1
  %bwp = getelementptr ptr, ptr %workers, i64 %b
  %bw = load ptr, ptr %bwp
  %bjp = getelementptr ptr, ptr %jobs, i64 %b
  %job = load ptr, ptr %bjp
  %none = icmp eq ptr %job, null
  br i1 %none, label %collecting, label %fetch
fetch:
  %left = call i64 @collect(ptr %all, ptr %bw, ptr %job, i64 %until)
  %lost1 = or i64 %lost, %left
  br label %collecting
out:
  %finite = load atomic i64, ptr %fp monotonic, align 8
  %answer = or i64 %finite, %lost
  call void @let_go(ptr %all)
  ret i64 %answer
}}
"""
