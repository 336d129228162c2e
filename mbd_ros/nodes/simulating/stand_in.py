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


"""The simulator as a stand-in for hardware that is not ideal."""

from __future__ import annotations

from dataclasses import fields
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbd_ros.messages.fields.times import SECOND
from mbd_ros.model import Model
from mbd_ros.simulation.hardware import Drives, Hardware, Sensors, stand_in

Vector = NDArray[np.float64]


class StandIn:
    """
    Sensors and drives as the parameters of the group ``hardware`` say.

    Parameters
    ----------
    settings : SimpleNamespace
        These parameters; they may change.

    Attributes
    ----------
    drives : Drives or None
        What makes of commands the efforts that act; None: they act as they are.

    """

    def __init__(self, settings: SimpleNamespace) -> None:
        self._settings = settings
        self._model: Model | None = None
        self._hardware: Hardware | None = None
        self._sensors: Sensors | None = None
        self._begin: int | None = None
        self.drives: Drives | None = None

    def use(self, model: Model) -> None:
        """Stand in for a robot from now on."""
        self._model, self._hardware = model, None
        self.use_settings()

    def use_settings(self) -> None:
        """Go on with the parameters as they are now, if they have changed."""
        hardware = self._wanted()
        if hardware != self._hardware and self._model is not None:
            self._sensors, self.drives = stand_in(self._model, hardware)
            self._hardware = hardware

    def measured(self, now: int, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """Return what sensors say at a time [ns] of a state (nq,), (nv,)."""
        sensors = self._sensors
        if sensors is None:
            return q, v
        if self._begin is None:
            self._begin = now
        return sensors.measure((now - self._begin) / SECOND, q, v)

    def acting(self, efforts: Vector) -> Vector:
        """Return the efforts (nv,) that act where others were commanded."""
        drives = self.drives
        acting = None if drives is None else drives.acting
        return efforts if acting is None else acting[:len(efforts)]

    def _wanted(self) -> Hardware:
        values: dict[str, Any] = {
            field.name: getattr(self._settings, field.name) for field in fields(Hardware)}
        return Hardware(**{**values, 'frozen_sensors': tuple(values['frozen_sensors'])})
