"""Learning in turns with any classifier that has ``fit(X, y, sample_weight)`` and ``predict_proba``.

The classifier is fitted to the probabilities of the items; annotators are judged, and the labels and the classifier
together give the next probabilities. How annotators are judged is what the methods differ in; it is the same here as with
the built-in networks, where an epoch of training stands in the place of a fit.
"""

from __future__ import annotations

import json
from typing import Any

from . import _crowdwise
from ._crowdwise import Data, Fit

#: Methods that work with such a classifier: none of them needs its gradient.
METHODS = ("two-stage", "aggnet", "mbem", "deep-mf", "deep-bp")

#: Turns at most, for the methods that do not say how many.
TURNS = 30
#: No probability moves by more than this: enough.
STILL = 1e-4


def fit_weighted(estimator: Any, x: Any, q: Any) -> Any:
    """Fits a classifier to soft labels: every item once for each of its likely classes, weighted by their probability."""
    import numpy as np

    item, label = np.nonzero(q > 1e-3)
    return estimator.fit(x[item], label, sample_weight=q[item, label])


def rows_of(estimator: Any, x: Any, k: int) -> Any:
    """Probabilities of all classes, also of those that the classifier did not meet."""
    import numpy as np

    p = np.full((len(x), k), 1e-12)
    p[:, np.asarray(estimator.classes_, dtype=int)] = estimator.predict_proba(x)
    return p / p.sum(axis=1, keepdims=True)


class Crowd:
    """Labels as arrays, with known truth."""

    def __init__(self, data: Data) -> None:
        self.data = data
        self.k, self.m, self.n = data.n_classes, data.n_annotators, data.n_units
        self.unit, self.annotator, self.code = data.codes()
        self.gold = data.gold_codes()

    def clamped(self, q: Any) -> Any:
        """Known truth stays certain."""
        known = self.gold >= 0
        q[known] = 0.0
        q[known, self.gold[known]] = 1.0
        return q

    def counts(self, q: Any) -> Any:
        """Expected labels, annotators x truth x label."""
        import numpy as np

        flat = self.annotator * self.k + self.code
        sums = [np.bincount(flat, q[self.unit, t], self.m * self.k).reshape(self.m, self.k) for t in range(self.k)]
        return np.stack(sums, axis=1)

    def confusion(self, q: Any, smoothing: float) -> Any:
        c = self.counts(q) + smoothing
        return c / c.sum(axis=2, keepdims=True)

    def posterior(self, log_f: Any, evidence: Any) -> Any:
        """From the logarithms of what is believed before the labels, and of what a label is worth (annotators x truth x label)."""
        import numpy as np

        logs = log_f.copy()
        worth = evidence[self.annotator, :, self.code]
        for t in range(self.k):
            logs[:, t] += np.bincount(self.unit, worth[:, t], self.n)
        logs -= logs.max(axis=1, keepdims=True)
        q = np.exp(logs)
        return self.clamped(q / q.sum(axis=1, keepdims=True))


class TwoStage:
    """Once, on what another method found."""

    def __init__(self, crowd: Crowd, params: dict[str, Any], seed: int) -> None:
        self.crowd, self.params = crowd, params
        self.integrated = _crowdwise.fit(crowd.data, params.get("method", "dawid-skene"), "{}", seed, None, None, None)

    turns = 1

    def start(self) -> Any:
        import numpy as np

        return self.crowd.clamped(np.array(self.integrated.posterior()))

    def taught(self, q: Any) -> Any:
        """What the classifier learns from."""
        if self.params.get("labels") != "hard":
            return q
        best = q >= q.max(axis=1, keepdims=True) - 1e-12
        return best / best.sum(axis=1, keepdims=True)

    def next(self, q: Any, f: Any) -> Any:
        return q

    def confusion(self, q: Any) -> Any:
        return self.crowd.confusion(q, 0.01)


class Turns:
    """What the methods that take turns have in common."""

    turns = TURNS

    def __init__(self, crowd: Crowd, params: dict[str, Any], seed: int) -> None:
        self.crowd, self.params, self.seed = crowd, params, seed

    def start(self) -> Any:
        import numpy as np

        votes = _crowdwise.fit(self.crowd.data, "majority-vote", "{}", 0, None, None, None)
        return self.crowd.clamped(np.array(votes.posterior()))

    def taught(self, q: Any) -> Any:
        return q

    def next(self, q: Any, f: Any) -> Any:
        """The probabilities that follow from those that were taught and what the classifier made of them."""
        raise NotImplementedError

    def confusion(self, q: Any) -> Any:
        return self.crowd.confusion(q, self.params.get("smoothing", 0.01))


class Aggnet(Turns):
    """EM: annotators are judged by the probabilities that the classifier learned from."""

    def next(self, q: Any, f: Any) -> Any:
        import numpy as np

        floor = self.params.get("floor", 1e-3)
        return self.crowd.posterior(np.log(f + floor), np.log(self.confusion(q)))


class Mbem(Turns):
    """Annotators are judged by the classifier's own answers."""

    def __init__(self, crowd: Crowd, params: dict[str, Any], seed: int) -> None:
        super().__init__(crowd, params, seed)
        self.turns = params.get("rounds", 5)
        self.judged: Any = None

    def next(self, q: Any, f: Any) -> Any:
        import numpy as np

        answers = self.crowd.clamped(np.eye(self.crowd.k)[f.argmax(axis=1)])
        self.judged = super().confusion(answers)
        shares = np.full(self.crowd.k, self.params.get("smoothing", 0.01))
        if self.params.get("class_shares"):
            shares += answers.sum(axis=0)
        before = np.tile(np.log(shares / shares.sum()), (self.crowd.n, 1))
        return self.crowd.posterior(before, np.log(self.judged))

    def confusion(self, q: Any) -> Any:
        return super().confusion(q) if self.judged is None else self.judged


class DeepMf(Turns):
    """Mean field, with the classifier as bounded prior of every item."""

    def __init__(self, crowd: Crowd, params: dict[str, Any], seed: int) -> None:
        super().__init__(crowd, params, seed)
        self.alpha, self.beta = params.get("alpha", 2.0), params.get("beta", 1.0)
        self.rows = params.get("model", "one-coin") == "rows"
        self.shape: Any = None

    def believe(self, q: Any) -> None:
        """Shapes of the belief about annotators: of right and wrong labels, or of the rows of their matrices."""
        import numpy as np

        counts, k = self.crowd.counts(q), self.crowd.k
        if self.rows:
            self.shape = counts + np.where(np.eye(k, dtype=bool), self.alpha, self.beta / (max(k, 2) - 1))
        else:
            right = np.trace(counts, axis1=1, axis2=2)
            self.shape = np.stack([self.alpha + right, self.beta + counts.sum(axis=(1, 2)) - right], axis=1)

    def evidence(self) -> Any:
        import numpy as np

        k = self.crowd.k
        if self.rows:
            return digamma(self.shape) - digamma(self.shape.sum(axis=2, keepdims=True))
        logs = digamma(self.shape) - digamma(self.shape.sum(axis=1, keepdims=True))
        yes, no = logs[:, 0, None, None], logs[:, 1, None, None] - np.log(max(k, 2) - 1)
        return np.where(np.eye(k, dtype=bool), yes, no)

    def next(self, q: Any, f: Any) -> Any:
        import numpy as np

        before = np.log(np.maximum(clipped(f, self.params.get("clip", 0.9)), 1e-200))
        if self.shape is None:
            self.believe(q)
        for _ in range(self.params.get("sweeps", 5)):
            q = self.crowd.posterior(before, self.evidence())
            self.believe(q)
        return q

    def confusion(self, q: Any) -> Any:
        import numpy as np

        k = self.crowd.k
        if self.shape is None:
            self.believe(q)
        if self.rows:
            return self.shape / self.shape.sum(axis=2, keepdims=True)
        p = (self.shape[:, 0] / self.shape.sum(axis=1))[:, None, None]
        return np.where(np.eye(k, dtype=bool), p, (1 - p) / max(k - 1, 1))


class DeepBp(Turns):
    """Belief propagation, with the classifier as bounded prior of every item."""

    #: A turn is a whole propagation of beliefs.
    turns = 10

    def __init__(self, crowd: Crowd, params: dict[str, Any], seed: int) -> None:
        super().__init__(crowd, params, seed)
        kept = ("model", "alpha", "beta", "form", "draws", "max_iter")
        self.messages = json.dumps({n: params[n] for n in kept if n in params})
        self.found: Any = None

    def next(self, q: Any, f: Any) -> Any:
        import numpy as np

        before = np.log(np.maximum(clipped(f, self.params.get("clip", 0.9)), 1e-200))
        q, self.found = _crowdwise.beliefs(self.crowd.data, np.ascontiguousarray(before), self.messages, self.seed)
        return self.crowd.clamped(q)

    def confusion(self, q: Any) -> Any:
        return super().confusion(q) if self.found is None else self.found


_RULES: dict[str, Any] = {
    "two-stage": TwoStage,
    "aggnet": Aggnet,
    "mbem": Mbem,
    "deep-mf": DeepMf,
    "deep-bp": DeepBp,
}


def learn(data: Data, x: Any, estimator: Any, method: str, params: dict[str, Any], seed: int) -> tuple[Any, Fit]:
    """The classifier, fitted, and the result for the items that it learned from."""
    import numpy as np

    crowd = Crowd(data)
    rule = _RULES[method](crowd, params, seed)
    q = rule.start()
    converged, turn = False, 0
    for turn in range(1, rule.turns + 1):
        fit_weighted(estimator, x, rule.taught(q))
        new = rule.next(q, rows_of(estimator, x, crowd.k))
        moved, q = np.abs(new - q).max(), new
        if moved < STILL:
            converged = True
            break
    votes = _crowdwise.fit(data, "majority-vote", "{}", 0, None, None, None)
    fit = votes.begin(data, np.ascontiguousarray(rule.confusion(q)), q.mean(axis=0))
    return estimator, fit.with_posterior(data, method, np.ascontiguousarray(q), turn, converged)


def clipped(rows: Any, bound: float) -> Any:
    """No probability above `bound`: what is above is shared evenly among the other classes, until none is above."""
    import numpy as np

    k = rows.shape[1]
    if k < 2 or bound >= 1:
        return rows
    bound = max(bound, 1 / k)
    rows, held = rows.copy(), np.zeros(rows.shape, dtype=bool)
    for _ in range(k):
        above = rows > bound
        excess = np.where(above, rows - bound, 0).sum(axis=1, keepdims=True)
        if (excess <= 1e-15).all():
            break
        held |= above
        free = (~held).sum(axis=1, keepdims=True)
        shared = np.where(held, bound, rows + excess / np.maximum(free, 1))
        rows = np.where(excess <= 1e-15, rows, np.where(free == 0, 1 / k, shared))
    return rows


def digamma(x: Any) -> Any:
    """The derivative of the logarithm of the gamma function, for positive numbers."""
    import numpy as np

    x = np.array(x, dtype=np.float64)
    out = np.zeros_like(x)
    for _ in range(8):
        small = x < 8
        out = out - np.where(small, 1 / np.where(small, x, 1.0), 0.0)
        x = np.where(small, x + 1, x)
    r = 1 / (x * x)
    return out + np.log(x) - 0.5 / x - r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r / 132))))
