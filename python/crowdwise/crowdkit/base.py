"""What the classes have in common."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import pandas as pd

from .._answers import Answers, answers
from .._base import Aggregator
from .._errors import NotFittedError
from .._params import Params

__all__ = ["BaseClassificationAggregator", "BasePairwiseAggregator"]

Model = TypeVar("Model", bound=Aggregator)
Self = TypeVar("Self", bound="Fitted")

#: The columns of labels.
COLUMNS = ["task", "worker", "label"]
#: "All iterations", as a tolerance that JSON can carry.
NEVER = -1e60


class Fitted(Params):
    """Learned attributes are set by ``fit``, as in crowd-kit."""

    #: The fit behind the attributes, where there is one: ``model_.findings_``, ``model_.result_``, ``model_.annotators_``.
    model_: Aggregator

    def __getattr__(self, name: str) -> Any:
        if name.endswith("_") and not name.startswith("_"):
            raise NotFittedError(f"this {type(self).__name__} has no `{name}` yet", hint="call `fit` first")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _fit(self, model: Model, data: Any, **options: Any) -> Model:
        """Fits one of our methods; as in crowd-kit, everybody's labels count, copied or not."""
        self.model_ = model.set_params(progress=self._shown())
        return model.fit(data, count_copies=True, **options)

    def _shown(self) -> bool:
        """Whether a line tells how it goes."""
        return False


class BaseClassificationAggregator(Fitted):
    """Classes from labels."""

    labels_: Any
    probas_: Any

    def fit_predict(self, data: Any) -> Any:
        """Fits the method and gives the labels."""
        return self.fit(data).labels_

    def fit_predict_proba(self, data: Any) -> Any:
        """Fits the method and gives the class probabilities."""
        return self.fit(data).probas_

    def fit(self: Self, data: Any) -> Self:
        raise NotImplementedError

    def _take(self, probas: pd.DataFrame) -> None:
        """Keeps the probabilities, and the labels that they say; the first of those that are tied."""
        self.probas_, self.labels_ = probas, most_probable(probas)


class BasePairwiseAggregator(Fitted):
    """Scores from comparisons of two items."""

    scores_: Any

    def fit(self: Self, data: Any) -> Self:
        raise NotImplementedError

    def fit_predict(self, data: Any) -> Any:
        """Fits the method and gives the scores."""
        return self.fit(data).scores_


def of_frame(data: pd.DataFrame, true_labels: Any = None) -> Answers:
    """The answers of a frame, which must have the three columns; rows without a label are none."""
    rows = data[COLUMNS]
    return answers(rows[rows["label"].notna()], ("categorical",), kind="categorical", gold=true_labels)


def most_probable(probas: pd.DataFrame) -> pd.Series:
    best = probas.columns.take(probas.to_numpy().argmax(axis=1))
    return pd.Series(best, index=probas.index, name="agg_label")


def in_order(frame: pd.DataFrame) -> pd.DataFrame:
    """Tasks and labels in sorted order."""
    return frame.sort_index().sort_index(axis=1)


def by_worker(made: Answers, values: Any, name: str = "skill") -> pd.Series:
    return pd.Series(np.asarray(values), index=made._annotators.rename("worker"), name=name)
