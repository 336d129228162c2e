"""All that can be said against a robot description: the model doctor."""

from __future__ import annotations

import os
from typing import NamedTuple

from mbd_ros.description.doctor import examine
from mbd_ros.description.finding import Finding
from mbd_ros.errors import DescriptionError, MbdError
from mbd_ros.model.load import load
from mbd_ros.model.model import Model

SEVERITIES = ('info', 'warning', 'error')


class Diagnosis(NamedTuple):
    """
    What the doctor says.

    Attributes
    ----------
    findings : tuple of Finding
        By line; each has a severity, a message and, where that does not say it, what to do.
    model : Model or None
        The robot; None where the description cannot be read, which is then the last finding.

    """

    findings: tuple[Finding, ...]
    model: Model | None

    def count(self, severity: str) -> int:
        """Return the number of findings of a severity."""
        return sum(finding.severity == severity for finding in self.findings)

    @property
    def worst(self) -> str | None:
        """The highest severity found, None where there is nothing to remark."""
        found = [finding.severity for finding in self.findings]
        return max(found, key=SEVERITIES.index, default=None)


def check(path_or_text: str | os.PathLike[str], *, floating_base: bool = False) -> Diagnosis:
    """
    Return what is wrong with a robot description, or suspicious about it.

    Parameters
    ----------
    path_or_text : str or path
        As for ``load``.
    floating_base : bool
        Whether the root link moves freely; its mass counts then.

    Returns
    -------
    Diagnosis
        Never raises for what stands in the description.

    """
    try:
        model = load(path_or_text, floating_base=floating_base, inertia='unchecked')
    except DescriptionError as error:
        return Diagnosis((Finding(
            'error', error.what, error.file, error.line,
            'nothing can be said of the rest before this is mended'),), None)
    except MbdError as error:
        return Diagnosis((Finding('error', str(error)),), None)
    findings = [*model.findings, *examine(model.mechanism)]
    findings.sort(key=lambda finding: (finding.line or 0, -SEVERITIES.index(finding.severity)))
    return Diagnosis(tuple(findings), model)
