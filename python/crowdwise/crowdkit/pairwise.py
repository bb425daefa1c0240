"""Scores from comparisons of two items."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd

from .. import _methods
from .base import BasePairwiseAggregator

__all__ = ["BradleyTerry", "NoisyBradleyTerry"]


def _decided(data: Any, columns: list[str]) -> tuple[pd.DataFrame, pd.Index]:
    """The rows that name a winner, and all items in sorted order."""
    data = data[columns]
    items = pd.Index(np.unique(data[["left", "right", "label"]].to_numpy()))
    return data[(data["label"] == data["left"]) | (data["label"] == data["right"])], items


class BradleyTerry(BasePairwiseAggregator):
    """Bradley-Terry by rounds (MM): positive scores that add up to 1."""

    loss_history_: list[float]

    def __init__(self, n_iter: int, tol: float = 1e-5) -> None:
        self.n_iter = n_iter
        self.tol = tol

    def fit(self, data: Any) -> BradleyTerry:
        """Fits the scores."""
        rows, items = _decided(data, ["left", "right", "label"])
        self.loss_history_ = []
        if not len(items):
            self.scores_ = pd.Series([], dtype=float, name="agg_score")
            return self
        if self.n_iter == 0:
            self.scores_ = pd.Series(1 / len(items), index=items, name="agg_score")
            return self
        model = _methods.BradleyTerry(
            max_iter=self.n_iter, tol=max(self.tol, 0.0), solver="rounds", ties="half", ridge=0.0
        )
        scores = self._fit(model, rows, kind="preference").scores_
        share = np.exp(scores - scores.max())
        self.scores_ = (share / share.sum()).reindex(items).rename("agg_score")
        self.loss_history_ = [change for _, _, change in model.trace_[1:]]
        return self


class NoisyBradleyTerry(BasePairwiseAggregator):
    """Bradley-Terry with reliabilities of the workers and what draws them to the left side (our ``crowd-bt``).

    ``scores_``, ``skills_`` and ``biases_`` lie between 0 and 1: a skill of 0 is guessing, a bias of 0.5 is none.
    ``regularization_ratio`` and ``random_state`` change nothing: there is a prior instead, and no random start.
    """

    skills_: pd.Series
    biases_: pd.Series

    def __init__(
        self, n_iter: int = 100, tol: float = 1e-5, regularization_ratio: float = 1e-5, random_state: int = 0
    ) -> None:
        self.n_iter = n_iter
        self.tol = tol
        self.regularization_ratio = regularization_ratio
        self.random_state = random_state

    def fit(self, data: Any) -> NoisyBradleyTerry:
        """Fits scores, skills and biases."""
        rows, items = _decided(data, ["worker", "left", "right", "label"])
        model = _methods.CrowdBt(max_iter=max(self.n_iter, 1), tol=max(self.tol, 1e-12), position="annotators")
        fit = self._fit(model, rows, kind="preference")._fit
        self.scores_ = _sigmoid(model.scores_.reindex(items)).rename("agg_score").rename_axis("label")
        workers = pd.Index(model._answers.annotators)
        right = np.asarray(fit.accuracy())
        effects = json.loads(fit.details).get("position_effects") or np.zeros(len(workers))
        self.skills_ = pd.Series(np.clip(2 * right - 1, 0, 1), index=workers, name="skill").sort_index()
        self.biases_ = pd.Series(_sigmoid(np.asarray(effects)), index=workers, name="bias").sort_index()
        return self


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))
