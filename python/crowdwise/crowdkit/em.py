"""Models that are fitted by EM."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
import pandas as pd

from .. import _crowdwise, _methods
from .._answers import Answers
from .._crowdwise import Fit
from .base import COLUMNS, NEVER, BaseClassificationAggregator, by_worker, in_order, of_frame

__all__ = ["GLAD", "MACE", "DawidSkene", "OneCoinDawidSkene"]


class DawidSkene(BaseClassificationAggregator):
    """Dawid-Skene: a matrix of errors for every worker, estimated together with the truth.

    ``initial_error_strategy`` says what becomes of the matrices that ``fit`` is given: ``"assign"`` begins with them,
    ``"addition"`` adds them, as counts, to those of the votes.
    """

    priors_: pd.Series
    errors_: pd.DataFrame
    loss_history_: list[float]

    def __init__(self, n_iter: int = 100, tol: float = 1e-5, initial_error_strategy: str | None = None) -> None:
        self.n_iter = n_iter
        self.tol = tol
        self.initial_error_strategy = initial_error_strategy

    def fit(self, data: Any, true_labels: Any = None, initial_error: Any = None) -> DawidSkene:
        """Fits the model.

        ``true_labels`` is a series by task: these tasks keep their label. ``initial_error`` has a row for every worker and
        label and a column for every truth.
        """
        data = data[COLUMNS]
        if data.empty:
            return self._nothing()
        if true_labels is not None:
            true_labels = true_labels[true_labels.index.isin(data["task"])]
            true_labels = true_labels if len(true_labels) else None
        made = of_frame(data, true_labels)
        strategy = None if initial_error is None else self.initial_error_strategy
        given = None if strategy is None else _matrices(made, data, initial_error, strategy)
        if self.n_iter == 0 or given is not None:
            start = _start(made, given, strategy == "assign", one_coin=False)
            if self.n_iter == 0:
                return self._keep(made, data, start, sort=True)
            model = self._model()
            model._count_copies = True
            self.model_ = model._fit_answers(made, start)
        else:
            self._fit(self._model(), made)
        return self._keep(made, data, self.model_._fit)

    def _model(self) -> Any:
        return _methods.DawidSkene(
            max_iter=self.n_iter,
            tol=max(self.tol, NEVER),
            alpha=0.0,
            accelerate=False,
            zeros="counts",
            stop="bound",
            progress=False,
        )

    def _nothing(self) -> Any:
        """What is learned of an empty frame."""
        self.probas_, self.errors_ = pd.DataFrame(), pd.DataFrame()
        self.priors_ = pd.Series(dtype=float, name="prior")
        self.labels_ = pd.Series(dtype=float, name="agg_label")
        return self

    def _keep(self, made: Answers, data: pd.DataFrame, fit: Fit, sort: bool = False) -> Any:
        """Keeps what was learned. Tasks are in the order of their first labels; those of a vote are sorted."""
        classes = pd.Index(made._classes, name="label")
        probas = pd.DataFrame(fit.posterior(), index=made._items.rename("task"), columns=classes)
        self._take(in_order(probas) if sort else probas.sort_index(axis=1))
        self.priors_ = pd.Series(fit.class_prior(), index=classes, name="prior").sort_index()
        # crowd-kit has rows for the labels that a worker used
        rows = pd.MultiIndex.from_product([made._annotators, classes], names=["worker", "label"])
        confusion = fit.confusion()
        assert confusion is not None
        every = pd.DataFrame(
            confusion.transpose(0, 2, 1).reshape(-1, len(classes)), index=rows, columns=classes.rename(None)
        )
        used = pd.MultiIndex.from_frame(data[["worker", "label"]].drop_duplicates())
        self.errors_ = every.reindex(used).sort_index(axis=1)
        self.loss_history_ = [] if sort else self.model_.loss_history_
        return self

    def fit_predict(self, data: Any, true_labels: Any = None, initial_error: Any = None) -> Any:
        """Fits the model and gives the labels."""
        return self.fit(data, true_labels, initial_error).labels_

    def fit_predict_proba(self, data: Any, true_labels: Any = None, initial_error: Any = None) -> Any:
        """Fits the model and gives the class probabilities."""
        return self.fit(data, true_labels, initial_error).probas_


def _start(made: Answers, given: Any, assign: bool, one_coin: bool) -> Fit:
    """The votes with matrices made of them and of what was given."""
    votes = _crowdwise.fit(made._data, "majority-vote", "{}", 0, None, None, None, True)
    k = made._data.n_classes
    given = np.zeros((made.n_annotators, k, k)) if given is None else given
    return _crowdwise.vote_start(votes, made._data, given, assign, one_coin)


def _matrices(made: Answers, data: pd.DataFrame, initial: pd.DataFrame, strategy: str) -> Any:
    """Given matrices as annotators x truth x label."""
    if strategy not in ("assign", "addition"):
        raise ValueError(f"initial_error_strategy is {strategy!r}, but must be 'assign' or 'addition'")
    if list(initial.index.names) != ["worker", "label"]:
        raise ValueError(f"the index of initial_error must be worker and label, but is {list(initial.index.names)}")
    if strategy == "assign":
        used = pd.MultiIndex.from_frame(data[["worker", "label"]].drop_duplicates())
        missing = used[~used.isin(initial.index)].get_level_values("worker").nunique()
        if missing:
            raise ValueError(f"initial_error must have all workers of the data: {missing} lack rows")
        sums = initial.groupby("worker", sort=False).sum()
        if (initial <= 1.0).all(axis=None) and not np.allclose(sums, 1.0):
            raise ValueError("The sum of each worker's error matrix in initial_error should be 1.0")
    every = pd.MultiIndex.from_product([made._annotators, made._classes], names=["worker", "label"])
    k = len(made._classes)
    filled = initial.reindex(index=every, columns=made._classes).fillna(0.0).to_numpy(dtype=float)
    return np.ascontiguousarray(filled.reshape(-1, k, k).transpose(0, 2, 1))


class OneCoinDawidSkene(DawidSkene):
    """Dawid-Skene with one accuracy for every worker instead of a matrix."""

    skills_: pd.Series

    def fit(self, data: Any) -> OneCoinDawidSkene:  # type: ignore[override]
        """Fits the model."""
        data = data[COLUMNS]
        if data.empty:
            return self._nothing()
        made = of_frame(data)
        if self.n_iter == 0:
            fit = _start(made, None, False, one_coin=True)
        else:
            fit = self._fit(self._model(), made)._fit
        self._keep(made, data, fit, sort=self.n_iter == 0)
        self.skills_ = by_worker(made, fit.accuracy())
        return self

    def _model(self) -> Any:
        tol = max(self.tol, NEVER)
        return _methods.OneCoin(max_iter=self.n_iter, tol=tol, alpha=0.0, accelerate=False, stop="bound")

    def fit_predict(self, data: Any) -> Any:  # type: ignore[override]
        """Fits the model and gives the labels."""
        return self.fit(data).labels_

    def fit_predict_proba(self, data: Any) -> Any:  # type: ignore[override]
        """Fits the model and gives the class probabilities."""
        return self.fit(data).probas_


class GLAD(BaseClassificationAggregator):
    """GLAD: abilities of workers and difficulties of tasks."""

    alphas_: pd.Series
    betas_: pd.Series
    priors_: pd.Series
    loss_history_: list[float]

    def __init__(
        self,
        n_iter: int = 100,
        tol: float = 1e-5,
        silent: bool = True,
        labels_priors: Any = None,
        alphas_priors_mean: Any = None,
        betas_priors_mean: Any = None,
        m_step_max_iter: int = 25,
        m_step_tol: float = 1e-2,
    ) -> None:
        self.n_iter = n_iter
        self.tol = tol
        self.silent = silent
        self.labels_priors = labels_priors
        self.alphas_priors_mean = alphas_priors_mean
        self.betas_priors_mean = betas_priors_mean
        self.m_step_max_iter = m_step_max_iter
        self.m_step_tol = m_step_tol

    def _shown(self) -> bool:
        return not self.silent

    def fit(self, data: Any) -> GLAD:
        """Fits the model."""
        if self.labels_priors is not None and np.ptp(np.asarray(self.labels_priors, dtype=float)) > 1e-12:
            raise ValueError("labels_priors with different shares is not supported here")
        made = of_frame(data)
        alpha = _one_number("alphas_priors_mean", self.alphas_priors_mean)
        beta = _one_number("betas_priors_mean", self.betas_priors_mean)
        if self.n_iter == 0:
            # the vote of workers who are all as able as the prior says, on tasks as easy as it says
            right = 1 / (1 + math.exp(-alpha * math.exp(beta)))
            accuracies = dict.fromkeys(made._data.annotator_names(), right)
            model: Any = self._fit(_methods.WeightedMajorityVote(rule="log-odds", accuracies=accuracies), made)
            alphas, betas, losses = np.full(made.n_annotators, alpha), np.full(made.n_items, beta), []
        else:
            model = _methods.GLAD(
                max_iter=self.n_iter,
                tol=max(self.tol, 0.0),
                inner_iter=self.m_step_max_iter,
                inner_tol=self.m_step_tol,
                alpha_mean=alpha,
                beta_mean=beta,
                start="prior",
            )
            fit = self._fit(model, made)._fit
            alphas, betas, losses = fit.weight(), -np.log(fit.difficulty()), model.loss_history_
        self._take(in_order(model.probas_).rename_axis(index="task", columns="variable"))  # as it is called there
        self.alphas_ = by_worker(made, alphas, "alpha")
        self.betas_ = pd.Series(betas, index=made._items.rename("task"), name="beta")
        first = pd.unique(data["label"])
        self.priors_ = pd.Series(1 / len(first), index=first)
        self.loss_history_ = losses
        return self


def _one_number(name: str, value: Any) -> float:
    if value is None:
        return 1.0
    numbers = np.unique(np.asarray(value, dtype=float))
    if len(numbers) != 1:
        raise ValueError(f"{name} with different means for different ids is not supported here")
    return float(numbers[0])


class MACE(BaseClassificationAggregator):
    """MACE: a worker knows the label, or guesses by a strategy."""

    spamming_: Any
    thetas_: Any

    def __init__(
        self,
        n_restarts: int = 10,
        n_iter: int = 50,
        method: Literal["vb", "em"] = "vb",
        smoothing: float = 0.1,
        default_noise: float = 0.5,
        alpha: float = 0.5,
        beta: float = 0.5,
        random_state: int = 0,
        verbose: int = 0,
    ) -> None:
        self.n_restarts = n_restarts
        self.n_iter = n_iter
        self.method = method
        self.smoothing = smoothing
        self.default_noise = default_noise
        self.alpha = alpha
        self.beta = beta
        self.random_state = random_state
        self.verbose = verbose

    def _shown(self) -> bool:
        return self.verbose > 0

    def fit(self, data: Any) -> MACE:
        """Fits the model."""
        made = of_frame(data)
        # crowd-kit has `smoothing`, but takes 0.01 divided by the number of classes always, and so does our default
        model = _methods.MACE(
            restarts=self.n_restarts,
            max_iter=self.n_iter,
            inference=self.method,
            noise=self.default_noise,
            alpha=self.alpha,
            beta=self.beta,
            tol=0.0,
            random_state=self.random_state,
        )
        fit = self._fit(model, made)._fit
        # labels in the order in which they first appear, workers of `thetas_` sorted, as in crowd-kit
        first = pd.unique(data["label"])
        self._take(model.probas_.rename_axis(index="task", columns=None)[first])
        known, guesses = fit.weight(), fit.strategy()
        assert known is not None and guesses is not None
        self.spamming_ = np.column_stack([1 - known, known])
        table = pd.DataFrame(guesses, index=made._annotators, columns=made._classes)
        self.thetas_ = in_order(table).to_numpy()
        return self
