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
The thresholds of all decisions on ranks, each with its reason.

What computed rows, columns and pivots leave of a zero depends on where they come from: 1e-16 of
numbers that were read, 1e-13 of a long recursion, 1e-4 of dimensions in a drawing. So there is not
one threshold; but all stand here, by what is decided. "Part" is a part of the largest of its kind.
Thresholds of identification, which judge measurements, stand with it.

"""

# Rows of closed loops, as the robot's description gives them.

LOOP_RANK = 3e-5
"""Part of the largest singular value of the scaled rows of loops below which others are zero: an
angle. Axes that are parallel by intention are so within the digits of a file (1.5708)."""

LOOP_ROUNDING = 1e-12
"""Levers [m] and singular values of rows of loops that nothing in the robot moves are below."""

PLANAR_LOOP = 1e-5
"""Sine of the angle by which axes may leave a plane where rows across it are none: a third of
``LOOP_RANK``, so that what is left of such rows is below that."""

NO_LOOP_ROW = 1e-6
"""Part of the longest row of loops below which machine code takes a row for none; well below
``LOOP_RANK``, at which the dense solution does."""

PROJECTION_ROUNDING = 1e-13
"""Entries of a projection, of size one, below which they are rounding."""

LOOP_CONFLICT = 1e-4
"""Part of the accelerations of rows of loops that may be left: rows dropped agree within
``LOOP_RANK``."""

LOOP_MULTIPLIERS = 1e-10
"""Part of the largest singular value of rows of loops below which multipliers of least norm leave
a direction out: the rows are those of one state, only rounding is to be told from them."""

IMPLIED_LOOP_ROWS = 1e-9
"""The same of loops that feet on a ground push against, and of those whose independent coordinates
are looked for: implied by others but for rounding."""

# Pivots of the elimination of loops in recursions, where a dense decision follows if in doubt.

INDEPENDENT_PIVOT = 1e-6
"""Part of the size of a row's pivot from which on the row is independent beyond doubt: an angle of
1e-3. A smaller pivot would amplify the rounding of other rows until they seemed independent."""

CANCELLED_PIVOT = 1e-12
"""Part of what a pivot was before other rows were eliminated at the body below which it is
rounding: that leaves 1e-15, on long chains 1e-13."""

ROUNDED_PIVOT = 1e-20
"""Part of the size of a row below which a pivot is rounding, by the square of that."""

MASSES_FAR_APART = 1e9
"""Ratio of masses from which on pivots decide nothing: the inverse inertia of a heavy body is as
small beside that of a light one as what rounding leaves of it (``CANCELLED_PIVOT``)."""

# Masses.

MASS_PIVOT = 1e-14
"""A squared pivot of the Cholesky factor of M below this part of its diagonal is rounding."""

MOVED_INERTIA = 1e-12
"""Of the inertia that a joint moves when all others are locked. Rounding leaves about 1e-15 of it;
the lightest motor on the heaviest robot is far above."""

MODAL_MASS = 1e-10
"""Least eigenvalue of a scaled modal mass matrix; rounding of n modes leaves about n 1e-16."""

MODAL_STIFFNESS = 1e-12
"""Least eigenvalue of a stiffness matrix scaled to the diagonal 1; rounding leaves 1e-14."""

THIN_BODY = 1e-9
"""Part of its largest moment of inertia below which a body's smallest is none: a line of mass."""

# Rows of constraints, computed at one state, in the metric of the mass matrix (dense).

CONSTRAINT_RANK = 1e-10
"""Part of the largest pivot below which a row, scaled to length one, counts as dependent. Machine
epsilon is too small for computed Jacobians."""

CONSTRAINT_ROUNDING = 1e-12
"""Part of the longest row below which a row is zero but for rounding."""

CONSTRAINT_CONFLICT = 1e-8
"""A dependent row whose relative residual exceeds this contradicts the others."""

# The same in machine code: squares of parts of rows, left beside the rows before. What lies
# between clearly independent and clearly dependent is left to the dense decision.

CLEARLY_REGULAR = 1e-8
"""Smallest squared part of a row, or of a pivot of M, that is clearly independent. Below it (an
angle of 1e-4) rounding errors matter."""

CLEARLY_DEPENDENT = 1e-22
"""Squared part of a row below which it is rounding: 1e-11 of its length."""

CLEARLY_FREE = 1e-6
"""Squared part below which it is not clear whether drives control a motion of the loops: above
the squares of ``LOOP_RANK`` and ``UNDRIVEN``."""

IN_TURN = 1e-4
"""Squared part of a column with which it comes in its turn; else the one comes of which most is
left (pivoting, which clear systems do without)."""

NO_COLUMN_LEFT = 1e-12
"""Squared part of a column that ends the search: in the middle of the gap of what is clear."""

TINY_ROW = 1e-20
"""Squared length of a row, beside the longest, that may be rounding."""

# What drives can do.

UNDRIVEN = 1e-6
"""A motion that loops allow, of which the drives catch less than this, is not driven: an angle."""

UNDETERMINED_JOINTS = 1e-6
"""Part of the largest singular value of the columns of unmeasured joints below which the measured
ones do not determine them."""

OUT_OF_REACH = 1e-9
"""A direction is not reached where its singular value is a smaller part of the largest, or of what
a drive pushes where nothing holds it."""

NO_THRUST = 1e-6
"""A direction is not pushed by thrusters where its singular value is a smaller part."""
