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

"""Findings of the model doctor as messages."""

from __future__ import annotations

from typing import Any

from mbd_msgs.msg import ErrorCode, ModelFinding

from mbd_ros.dynamics.loops.diagnosis import check_text, Diagnosis
from mbd_ros.errors import InvalidValueError
from mbd_ros.model import Model


def read_description(request: Any, model: Model | None) -> str:
    """
    Return the description that a request asks about.

    Parameters
    ----------
    request : CheckModel.Request
        As it came.
    model : Model or None
        The robot in use.

    Returns
    -------
    str
        XML text.

    Raises
    ------
    InvalidValueError
        If it is empty and there is no robot.

    """
    if not request.robot_description.strip() and model is not None:
        return model.mechanism.text
    if not request.robot_description.strip():
        raise InvalidValueError('robot_description', '', 'XML text, or empty for the robot in '
                                'use, but there is none')
    return str(request.robot_description)


def diagnose(request: Any, response: Any, model: Model | None) -> Any:
    """Fill the answer of ``CheckModel``; parameters and errors are those of the above."""
    write_findings(response, check_text(read_description(request, model)))
    response.success = True
    response.error_code = ErrorCode.SUCCESS
    response.model_generation = 0 if model is None else model.generation
    return response


def write_findings(response: Any, diagnosis: Diagnosis) -> None:
    """Write what the doctor says into an answer."""
    response.readable = diagnosis.model is not None
    response.findings = [
        ModelFinding(severity=finding.severity, message=finding.message, file=finding.file or '',
                     line=finding.line or 0, remedy=finding.remedy)
        for finding in diagnosis.findings]
