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

"""Colours of the page; one meaning each."""

from __future__ import annotations

Rgb = tuple[int, int, int]

DESIRED: Rgb = (16, 150, 72)
TRACED: Rgb = (224, 58, 40)
FORCE: Rgb = (112, 48, 176)
MANIFOLD: Rgb = (51, 115, 217)
VIOLATION: Rgb = (242, 140, 26)
PUSH: Rgb = (214, 39, 140)
MASS: Rgb = (40, 44, 52)
JOINT_FORCE: Rgb = (20, 150, 160)
JOINT_MOMENT: Rgb = (150, 120, 30)
BRAND: Rgb = (30, 100, 170)
GRID_CELL: Rgb = (228, 232, 238)
GRID_SECTION: Rgb = (186, 194, 205)
SAND: Rgb = (140, 120, 84)
GROUND: Rgb = (248, 249, 251)
SKY: Rgb = (255, 255, 255)
PLOT_GRID: Rgb = (234, 237, 241)
PLOT_TEXT: Rgb = (70, 78, 90)
JOINTS: tuple[Rgb, ...] = (
    (31, 119, 180), (242, 142, 43), (44, 160, 120), (148, 103, 189), (140, 86, 75),
    (227, 119, 194), (127, 127, 127), (188, 189, 34), (23, 190, 207),
)
"""Lines of the joints in plots, taken in turn."""


def css(color: Rgb) -> str:
    """Return a colour as CSS writes it."""
    return '#{:02x}{:02x}{:02x}'.format(*color)
