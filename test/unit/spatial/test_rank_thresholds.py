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


from mbd_ros.spatial import rank_thresholds as of


def test_thresholds_are_in_the_order_that_their_reasons_tell():
    assert of.NO_LOOP_ROW < of.PLANAR_LOOP < of.LOOP_RANK < of.LOOP_CONFLICT
    assert of.LOOP_ROUNDING < of.LOOP_MULTIPLIERS < of.IMPLIED_LOOP_ROWS < of.NO_LOOP_ROW
    assert of.ROUNDED_PIVOT < of.CANCELLED_PIVOT < of.INDEPENDENT_PIVOT
    assert of.INDEPENDENT_PIVOT > of.LOOP_RANK ** 2   # a pivot is a square
    assert max(of.LOOP_RANK, of.UNDRIVEN) ** 2 < of.CLEARLY_FREE
    assert of.CLEARLY_DEPENDENT < of.NO_COLUMN_LEFT < of.CLEARLY_REGULAR < of.IN_TURN
    # The dense decision is between what is clear on either side.
    assert of.CLEARLY_DEPENDENT < of.CONSTRAINT_RANK ** 2 < of.CLEARLY_REGULAR
    assert of.CONSTRAINT_ROUNDING < of.CONSTRAINT_RANK < of.CONSTRAINT_CONFLICT
