"""Options of content filters, which neither rmw_cyclonedds_cpp nor rosless has."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class ContentFilterOptions:
    """An SQL expression with parameters; a subscription with one is refused here."""

    filter_expression: str = ''
    expression_parameters: list[str] = field(default_factory=list)
