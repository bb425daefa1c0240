"""What crowd-kit's users know besides the common calls: further arguments of ``fit``, further learned attributes.

The classes of these names are generated from the list of methods and take their calls from here.
"""

from __future__ import annotations

from typing import Any, TypeVar

from ._answers import Answers, answers, truth_pairs
from ._base import Aggregator, WarmAggregator, refuse
from ._errors import DataError, ParameterError

Self = TypeVar("Self", bound=Aggregator)
Vote = TypeVar("Vote", bound="MajorityVoteCalls")


def _weights(skills: Any) -> dict[str, float]:
    return {name: float(value) for name, value in truth_pairs(skills) or []}


class MajorityVoteCalls(Aggregator):
    default_skill: float | None
    on_missing_skill: str

    def fit(self: Vote, data: Any, skills: Any = None, **options: Any) -> Vote:
        """Fits the vote; with ``skills`` (a series indexed by annotator, or a dictionary) labels count by them."""
        if skills is None:
            return super().fit(data, **options)
        made = answers(data, self._accepts, **options)
        weights = _weights(skills)
        other = 0.0
        if self.on_missing_skill == "value":
            if self.default_skill is None:
                raise ParameterError("`default_skill` is missing for on_missing_skill='value'", "bad-parameter")
            other = self.default_skill
        elif self.default_skill is not None:
            raise ParameterError("`default_skill` is given, but on_missing_skill is not 'value'", "bad-parameter")
        elif self.on_missing_skill == "error":
            missing = [n for n in made._data.annotator_names() if n not in weights]
            if missing:
                raise DataError(
                    f"{len(missing)} annotators have no skill: {', '.join(missing[:5])}",
                    "bad-data",
                    "give their skills, or on_missing_skill='ignore' or 'value'",
                )
        elif self.on_missing_skill != "ignore":
            raise ParameterError(
                f"`on_missing_skill` is {self.on_missing_skill!r}, but must be one of error, ignore, value", "bad-parameter"
            )
        everybody = {n: weights.get(n, other) for n in made._data.annotator_names()}
        return self._fit_answers(made, method="weighted-majority-vote", rule="given", weights=everybody)

    def fit_predict(self, data: Any, skills: Any = None, **options: Any) -> Any:
        return self.fit(data, skills, **options).labels_

    def fit_predict_proba(self, data: Any, skills: Any = None, **options: Any) -> Any:
        return self.fit(data, skills, **options).probas_

    @property
    def skills_(self) -> Any:
        """The share of every annotator's labels that equal the result."""
        a, f = self._fitted()
        return self._per_annotator(f.hits(a._data), "skill")


class SkilledCalls(Aggregator):
    """Methods whose skills can vote on other data."""

    def _vote(self, data: Any) -> Any:
        from ._methods import MajorityVote

        self._fitted()
        return MajorityVote(progress=False).fit(data, self.skills_)

    def predict(self, data: Any) -> Any:
        """The labels of other data by a vote with the skills that were learned."""
        return self._vote(data).labels_

    def predict_proba(self, data: Any) -> Any:
        """Shares of skill behind every class on other data."""
        return self._vote(data).probas_


class WawaCalls(SkilledCalls):
    pass


class ZeroBasedSkillCalls(SkilledCalls):
    pass


class DawidSkeneCalls(WarmAggregator):
    initial_error_strategy: str | None

    def fit(self: Self, data: Any, true_labels: Any = None, initial_error: Any = None, **options: Any) -> Self:
        """Fits the model.

        ``true_labels`` is known truth of some items; they stay clamped to it. ``initial_error`` has matrices to begin with,
        indexed by annotator and label with a column for every truth (or a dictionary of annotator to matrix, row = truth):
        with ``initial_error_strategy="assign"`` they are the start, with ``"addition"`` their counts are added to those
        of the votes.
        """
        if true_labels is not None:
            options["gold"] = true_labels
        made = answers(data, self._accepts, **options)
        strategy = getattr(self, "initial_error_strategy", None)
        if initial_error is None or strategy is None:
            return self._fit_answers(made)
        if strategy not in ("assign", "addition"):
            raise ParameterError(
                f"`initial_error_strategy` is {strategy!r}, but must be assign or addition", "bad-parameter"
            )
        return self._fit_answers(made, _begin(made, initial_error, strategy))

    def fit_predict(self, data: Any, true_labels: Any = None, initial_error: Any = None, **options: Any) -> Any:
        return self.fit(data, true_labels, initial_error, **options).labels_

    def fit_predict_proba(self, data: Any, true_labels: Any = None, initial_error: Any = None, **options: Any) -> Any:
        return self.fit(data, true_labels, initial_error, **options).probas_


def _begin(made: Answers, initial: Any, strategy: str) -> Any:
    """A start from matrices of annotators."""
    import numpy as np

    from . import _crowdwise

    data = made._data
    k = data.n_classes
    who = {n: j for j, n in enumerate(made.annotators)}
    classes = {c: n for n, c in enumerate(made.classes)}
    given = np.zeros((data.n_annotators, k, k))
    seen = np.zeros(data.n_annotators, dtype=bool)
    if hasattr(initial, "index") and hasattr(initial, "columns"):
        for (name, label), row in zip(initial.index, initial.to_numpy()):
            if name not in who:
                continue
            seen[who[name]] = True
            for truth, value in zip(initial.columns, row):
                if truth in classes and label in classes:
                    given[who[name], classes[truth], classes[label]] = value
    else:
        for name, matrix in initial.items():
            if name in who:
                seen[who[name]] = True
                given[who[name]] = np.asarray(matrix, dtype=float)
    votes = _crowdwise.fit(data, "majority-vote", "{}", 0, None, None, None)
    shares = np.asarray(votes.posterior())
    unit, annotator, code = data.codes()
    if strategy == "addition":
        for truth in range(k):
            flat = annotator * k + code
            counts = np.bincount(flat, weights=shares[unit, truth], minlength=data.n_annotators * k)
            given[:, truth, :] += counts.reshape(-1, k)
    elif not seen.all():
        missing = [n for n, s in zip(made.annotators, seen) if not s]
        raise DataError(
            f"`initial_error` lacks {len(missing)} annotators: {missing[:5]}",
            "bad-data",
            "initial_error_strategy='addition' takes matrices of some of them",
        )
    given = np.maximum(given, 1e-10)
    given /= given.sum(axis=2, keepdims=True)
    return votes.begin(data, np.ascontiguousarray(given), shares.mean(axis=0))


class OneCoinDawidSkeneCalls(WarmAggregator):
    pass


class GLADCalls(WarmAggregator):
    labels_priors: Any
    alphas_priors_mean: Any
    betas_priors_mean: Any

    def _method_params(self) -> dict[str, Any]:
        out = super()._method_params()
        for theirs, ours in (("alphas_priors_mean", "alpha_mean"), ("betas_priors_mean", "beta_mean")):
            value = getattr(self, theirs)
            if value is not None:
                out[ours] = _one_number(theirs, value)
        if self.labels_priors is not None:
            shares = list(_weights(self.labels_priors).values())
            if max(shares) - min(shares) > 1e-12:
                raise refuse(
                    "`labels_priors` with different shares is not supported",
                    "leave it out for equal shares, or class_prior='learn' to learn them",
                )
        return out

    @property
    def alphas_(self) -> Any:
        """Abilities of the annotators."""
        return self._per_annotator(self._fitted()[1].weight(), "alpha")

    @property
    def betas_(self) -> Any:
        """Logarithms of the eases of the items."""
        import numpy as np

        found = self._fitted()[1].difficulty()
        if found is None:
            return None
        return self._per_item(-np.log(found), "beta")


def _one_number(name: str, value: Any) -> float:
    if isinstance(value, (int, float)):
        return float(value)
    numbers = set(_weights(value).values())
    if len(numbers) != 1:
        raise refuse(f"`{name}` with different means for different ids is not supported", "give one number")
    return numbers.pop()


class MACECalls(WarmAggregator):
    def _method_params(self) -> dict[str, Any]:
        out = super()._method_params()
        # crowd-kit has the argument but does not use it: 0.01 divided by the number of classes always
        out.pop("smoothing", None)
        return out

    @property
    def spamming_(self) -> Any:
        """Probabilities of guessing and of knowing, a row for every annotator."""
        import numpy as np

        known = self._fitted()[1].weight()
        return None if known is None else np.column_stack([1 - known, known])

    @property
    def thetas_(self) -> Any:
        """What the guesses of every annotator are drawn from, columns in the order of ``classes_``."""
        return self._fitted()[1].strategy()


class KOSCalls(Aggregator):
    pass


class MMSRCalls(SkilledCalls):
    @property
    def skills_(self) -> Any:
        """The logarithm of the odds of being right, times K - 1."""
        import numpy as np

        a, f = self._fitted()
        p = np.asarray(f.accuracy())
        return self._per_annotator(np.log(p * (a._data.n_classes - 1) / (1 - p)), "skill")

    @property
    def scores_(self) -> Any:
        """Shares of skill behind every class."""
        return self._kept("scores", self._scores)

    def _scores(self) -> Any:
        import numpy as np

        a, f = self._fitted()
        k = a._data.n_classes
        p = np.asarray(f.accuracy())
        skill = np.log(p * (k - 1) / (1 - p))
        unit, annotator, code = a._data.codes()
        sums = np.bincount(unit * k + code, weights=skill[annotator], minlength=a._data.n_items * k).reshape(-1, k)
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = sums / sums.sum(axis=1, keepdims=True)
        return a._flavour.matrix(a._items, a.classes, shares, str(a._names[0]), str(a._names[2]))

    def predict_score(self, data: Any) -> Any:
        """Shares of skill behind every class on other data."""
        return self.predict_proba(data)

    def fit_predict_score(self, data: Any, **options: Any) -> Any:
        """Fits the method and gives the shares of skill behind every class."""
        return self.fit(data, **options).scores_


class BradleyTerryCalls(Aggregator):
    @property
    def scores_(self) -> Any:
        """crowd-kit's scores: positive, adding up to 1. ``ranking_`` has log-odds with intervals."""
        import numpy as np

        found = self._fitted()[1].scores()
        if found is None:
            return None
        p, a = np.exp(found[0] - found[0].max()), self._answers
        return a._flavour.series(a._items, p / p.sum(), "agg_score", str(a._names[0]))

    @property
    def labels_(self) -> Any:
        return self.scores_

    def fit_predict(self, data: Any, **options: Any) -> Any:
        """Fits the model and gives the scores."""
        return self.fit(data, **options).scores_


