"""Methods on the graph of workers and tasks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .. import _crowdwise, _methods
from .base import BaseClassificationAggregator, by_worker, of_frame
from .voting import MajorityVote

__all__ = ["KOS", "MMSR"]


class KOS(BaseClassificationAggregator):
    """The messages of Karger, Oh and Shah, for two classes.

    ``random_state`` changes nothing: first messages are 1, the mean of the random numbers that crowd-kit begins with.
    """

    def __init__(self, n_iter: int = 100, random_state: int = 0) -> None:
        self.n_iter = n_iter
        self.random_state = random_state

    def fit(self, data: Any) -> KOS:
        """Sends the messages."""
        if data.empty:
            self.labels_ = pd.Series([], dtype="O", name="agg_label")
            return self
        made = of_frame(data)
        if len(made._classes) != 2:
            raise ValueError(f"KOS is for two classes, and these labels have {len(made._classes)}")
        model = _methods.KOS(max_iter=self.n_iter, tol=0.0, by_degree=False, init="ones")
        self.labels_ = self._fit(model, made).labels_.rename_axis("task").sort_index()
        return self


class MMSR(BaseClassificationAggregator):
    """M-MSR: skills by trimmed ratios of agreements, then a vote with their log-odds."""

    skills_: pd.Series
    scores_: pd.DataFrame
    loss_history_: list[float]

    def __init__(self, n_iter: int = 10000, tol: float = 1e-10, random_state: int | None = 0) -> None:
        self.n_iter = n_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, data: Any) -> MMSR:
        """Learns the skills."""
        made = of_frame(data)
        k = len(made._classes)
        # where trimming stops depends on where it begins: NumPy's random numbers, as in crowd-kit
        first = np.random.RandomState(self.random_state).uniform(size=made.n_annotators)
        votes = _crowdwise.fit(made._data, "majority-vote", "{}", 0, None, None, None, True)
        start = _crowdwise.skilled_start(votes, made._data, (first * (1 - 1 / k) + 1 / k).tolist())
        model = _methods.MMSR(
            max_iter=max(self.n_iter, 1), tol=max(self.tol, 0.0), trim="fewest", adversaries="reverse", progress=False
        )
        model._count_copies = True
        self.model_ = model._fit_answers(made, start)
        p = np.asarray(model._fit.accuracy())
        self.skills_ = by_worker(made, np.log(p * (k - 1) / (1 - p)))
        self.loss_history_ = [change for _, _, change in model.trace_]
        return self

    def _vote(self, data: Any) -> MMSR:
        vote = MajorityVote().fit(data, self.skills_)
        self.scores_, self.labels_ = vote.probas_, vote.labels_
        return self

    def predict(self, data: Any) -> Any:
        """The labels by a vote with the skills that were learned."""
        return self._vote(data).labels_

    def predict_score(self, data: Any) -> Any:
        """The shares of skill behind every label; below 0 where skills are."""
        return self._vote(data).scores_

    def fit_predict(self, data: Any) -> Any:
        """Learns the skills and gives the labels."""
        return self.fit(data).predict(data)

    def fit_predict_score(self, data: Any) -> Any:
        """Learns the skills and gives the shares of skill behind every label."""
        return self.fit(data).predict_score(data)
