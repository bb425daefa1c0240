"""Several labels for a task."""

from __future__ import annotations

from typing import Any

import pandas as pd

from .base import COLUMNS, BaseClassificationAggregator
from .voting import MajorityVote

__all__ = ["BinaryRelevance"]


class BinaryRelevance(BaseClassificationAggregator):
    """Whether a task has a label, asked for every label by itself; labels come as lists."""

    #: The aggregator of every label.
    aggregators_: dict[Any, BaseClassificationAggregator]

    def __init__(self, base_aggregator: BaseClassificationAggregator | None = None) -> None:
        self.base_aggregator = MajorityVote() if base_aggregator is None else base_aggregator
        assert isinstance(self.base_aggregator, BaseClassificationAggregator), "base_aggregator must be for classes"

    def fit(self, data: Any) -> BinaryRelevance:
        """Fits an aggregator for every label."""
        data = data[COLUMNS]
        self.aggregators_ = {}
        found: dict[Any, list[Any]] = {}
        for label in sorted({one for several in data["label"] for one in several}):
            base = type(self.base_aggregator)(**self.base_aggregator.get_params(deep=False))
            yes = data.assign(label=[int(label in several) for several in data["label"]])
            self.aggregators_[label] = base
            for task, has in base.fit_predict(yes).items():
                found.setdefault(task, []).extend([label] if has else [])
        self.labels_ = pd.Series(found, dtype=None if found else float, name="agg_label")
        if found:
            self.labels_.index.name = "task"
        return self
