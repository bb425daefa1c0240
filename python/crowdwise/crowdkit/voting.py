"""Votes, plain and weighted by skills."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import pandas as pd

from .. import _crowdwise, _methods
from .._answers import Answers
from .base import COLUMNS, BaseClassificationAggregator, by_worker, in_order, most_probable, of_frame

__all__ = ["GoldMajorityVote", "MajorityVote", "Wawa", "ZeroBasedSkill"]

Self = TypeVar("Self", bound="Skilled")


def shares(made: Answers, skills: pd.Series | None = None) -> pd.DataFrame:
    """Shares of skill behind every label; everybody counts alike without skills."""
    if skills is None:
        weight = np.ones(made.n_annotators)
    else:
        weight = skills.reindex(made._annotators).to_numpy(dtype=float)
    sums = _crowdwise.weighted_votes(made._data, np.ascontiguousarray(weight))
    with np.errstate(divide="ignore", invalid="ignore"):
        sums /= sums.sum(axis=1, keepdims=True)
    return in_order(
        pd.DataFrame(sums, index=made._items.rename("task"), columns=pd.Index(made._classes, name="label"))
    )


def accuracy(made: Answers, truth: pd.Series) -> pd.Series:
    """The share of every worker's labels that are right, of those who labelled a task of known truth."""
    truth = truth[truth.notna()]
    unit = made._items.get_indexer_for(truth.index)
    said = pd.Index(made._classes).get_indexer_for(truth.to_numpy())
    found = by_worker(made, _crowdwise.share_right(made._data, unit.astype("int64"), said.astype("int64")))
    return found.dropna().sort_index()


class MajorityVote(BaseClassificationAggregator):
    """A vote; with ``skills``, labels count by the skill of who gave them.

    ``on_missing_skill`` says what becomes of workers without a skill: ``"error"``, ``"ignore"`` (their labels are dropped) or
    ``"value"`` (they have the skill ``default_skill``).
    """

    skills_: pd.Series

    def __init__(self, default_skill: float | None = None, on_missing_skill: str = "error") -> None:
        self.default_skill = default_skill
        self.on_missing_skill = on_missing_skill

    def fit(self, data: Any, skills: Any = None) -> MajorityVote:
        """Takes the vote; ``skills`` is a series by worker."""
        data = data[COLUMNS]
        if skills is not None:
            data, skills = self._known(data, skills)
        if data.empty:
            self.probas_, self.labels_ = pd.DataFrame(), pd.Series([], dtype="O", name="agg_label")
            self.skills_ = pd.Series([], dtype=float, name="skill")
            return self
        made = of_frame(data)
        self._take(shares(made, skills))
        self.skills_ = accuracy(made, self.labels_)
        return self

    def _known(self, data: pd.DataFrame, skills: pd.Series) -> tuple[pd.DataFrame, pd.Series]:
        """The labels that count, with a skill for everybody behind them."""
        if self.on_missing_skill not in ("error", "ignore", "value"):
            raise ValueError(f"on_missing_skill is {self.on_missing_skill!r}, but must be 'error', 'ignore' or 'value'")
        if (self.default_skill is not None) != (self.on_missing_skill == "value"):
            raise ValueError("default_skill goes with on_missing_skill='value', and with that only")
        skills = skills[skills.notna()]
        known = data["worker"].isin(skills.index)
        if known.all():
            return data, skills
        if self.on_missing_skill == "error":
            raise ValueError(f"{(~known).sum()} labels are by workers without a skill")
        if self.on_missing_skill == "ignore":
            lost = data["task"].nunique() - data.loc[known, "task"].nunique()
            if lost:
                raise ValueError(f"{lost} tasks have no label by a worker with a skill")
            return data[known], skills
        return data, skills.reindex(data["worker"].unique(), fill_value=self.default_skill)

    def fit_predict(self, data: Any, skills: Any = None) -> Any:
        """Takes the vote and gives the labels."""
        return self.fit(data, skills).labels_

    def fit_predict_proba(self, data: Any, skills: Any = None) -> Any:
        """Takes the vote and gives the shares of the labels."""
        return self.fit(data, skills).probas_


class Skilled(BaseClassificationAggregator):
    """Methods that learn skills, with which the workers then vote."""

    skills_: pd.Series

    def _vote(self: Self, data: Any) -> Self:
        vote = MajorityVote().fit(data, self.skills_)
        self.probas_, self.labels_ = vote.probas_, vote.labels_
        return self

    def predict(self, data: Any) -> Any:
        """The labels by a vote with the skills that were learned."""
        return self._vote(data).labels_

    def predict_proba(self, data: Any) -> Any:
        """The shares of skill behind every label."""
        return self._vote(data).probas_

    def fit_predict(self, data: Any) -> Any:
        """Learns the skills and gives the labels."""
        return self.fit(data).predict(data)

    def fit_predict_proba(self, data: Any) -> Any:
        """Learns the skills and gives the shares of skill behind every label."""
        return self.fit(data).predict_proba(data)


class Wawa(Skilled):
    """Worker agreement with aggregate: a worker's skill is the share of the labels that the majority agrees with."""

    def fit(self, data: Any) -> Wawa:
        """Learns the skills."""
        made = of_frame(data)
        self.skills_ = accuracy(made, most_probable(shares(made)))
        return self


class GoldMajorityVote(Skilled):
    """A worker's skill is the share of right labels on tasks of known truth."""

    def fit(self, data: Any, true_labels: Any) -> GoldMajorityVote:  # type: ignore[override]
        """Learns the skills; ``true_labels`` is a series by task, which may have a task several times."""
        data = data[COLUMNS]
        self.skills_ = pd.Series([], dtype=float, name="skill") if data.empty else accuracy(of_frame(data), true_labels)
        return self

    def fit_predict(self, data: Any, true_labels: Any) -> Any:  # type: ignore[override]
        """Learns the skills and gives the labels."""
        return self.fit(data, true_labels).predict(data)

    def fit_predict_proba(self, data: Any, true_labels: Any) -> Any:  # type: ignore[override]
        """Learns the skills and gives the shares of skill behind every label."""
        return self.fit(data, true_labels).predict_proba(data)


class ZeroBasedSkill(Skilled):
    """Skills step towards each worker's agreement with the vote that they weigh."""

    def __init__(
        self,
        n_iter: int = 100,
        lr_init: float = 1.0,
        lr_steps_to_reduce: int = 20,
        lr_reduce_factor: float = 0.5,
        eps: float = 1e-5,
    ) -> None:
        self.n_iter = n_iter
        self.lr_init = lr_init
        self.lr_steps_to_reduce = lr_steps_to_reduce
        self.lr_reduce_factor = lr_reduce_factor
        self.eps = eps

    def fit(self, data: Any) -> ZeroBasedSkill:
        """Learns the skills."""
        made = of_frame(data)
        if self.n_iter == 0:
            self.skills_ = by_worker(made, np.full(made.n_annotators, 1 / len(made._classes) + self.eps))
            return self
        model = _methods.ZeroBasedSkill(
            max_iter=self.n_iter,
            learning_rate=self.lr_init,
            reduce_every=self.lr_steps_to_reduce,
            reduce_factor=self.lr_reduce_factor,
            head_start=self.eps,
        )
        self.skills_ = self._fit(model, made).skills_.rename_axis("worker").sort_index()
        return self
