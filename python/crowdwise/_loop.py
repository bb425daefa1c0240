"""Collecting labels and learning from them in turns, with any classifier."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

from ._asking import Asker, Questions
from ._errors import DataError, NotFittedError
from ._turns import fit_weighted, rows_of

__all__ = ["ActiveLoop"]

#: Parts of the labelled items: those of a part are classified by a learner that did not see them.
PARTS = 5


class ActiveLoop:
    """Asks, takes answers, and learns from features what the answers do not say.

    ``learner`` is any classifier with ``fit(X, y, sample_weight)`` and ``predict_proba(X)``; it is copied, never changed. ``features``
    are a row for every item: a dictionary, or a frame by item. ``data`` are the answers to begin with: some of every class.

    >>> loop = ActiveLoop(learner, features, data)            # doctest: +SKIP
    >>> for q in loop.ask(20):                                # doctest: +SKIP
    ...     loop.tell(q["item"], q["annotator"], label_of(q))
    >>> loop.fit().predict(features_of_others)                # doctest: +SKIP
    """

    def __init__(
        self,
        learner: Any,
        features: Any,
        data: Any,
        *,
        annotators: Iterable[Any] | None = None,
        strategy: str = "gain",
        seed: int = 0,
        **limits: Any,
    ) -> None:
        import numpy as np

        rows = features if isinstance(features, Mapping) else {i: features.loc[i] for i in features.index}
        self.asker = Asker(data, items=list(rows), annotators=annotators, seed=seed, **limits)
        missing = [i for i in self.asker.items if i not in rows]
        if missing:
            raise DataError(f"{len(missing)} items have no features, the first is {missing[0]!r}", "bad-data")
        self._x = np.stack([np.asarray(rows[i], dtype=float).ravel() for i in self.asker.items])
        self._learner, self.strategy, self._fresh = learner, strategy, False

    def ask(self, n: int = 1, annotator: Any = None, **options: Any) -> Questions:
        """The next questions; the learner is fitted first if answers came since."""
        if not self._fresh:
            self.fit()
        return self.asker.ask(n, annotator, strategy=self.strategy, **options)

    def tell(self, item: Any, annotator: Any, label: Any, **about: Any) -> str:
        """Takes an answer to a question about an item that has features."""
        if item not in self.asker._item:
            raise DataError(f"there are no features of {item!r}", "bad-data")
        self._fresh = False
        return self.asker.tell(item, annotator, label, **about)

    def fit(self) -> ActiveLoop:
        """Fits the learner to the class probabilities of the labelled items, and lets what it says of the others' features count
        where it did not learn from the item itself."""
        import numpy as np

        q, k = self.asker.probas(), len(self.asker.classes)
        labelled = np.flatnonzero(np.asarray(self.asker._asking.degrees()) > 0)
        self.learner_ = fit_weighted(copy.deepcopy(self._learner), self._x[labelled], q[labelled])
        p = rows_of(self.learner_, self._x, k)
        part = np.random.default_rng(self.asker.seed).permutation(len(labelled)) % PARTS
        for number in range(PARTS):
            out, rest = labelled[part == number], labelled[part != number]
            if len(out) == 0:
                continue
            if len(rest) == 0:
                p[out] = 1.0 / k
                continue
            other = fit_weighted(copy.deepcopy(self._learner), self._x[rest], q[rest])
            p[out] = rows_of(other, self._x[out], k)
        # few items make a classifier too sure of itself
        trust = len(labelled) / (len(labelled) + 10.0 * k)
        self.asker.believe(trust * p + (1 - trust) / k)
        self._fresh = True
        return self

    def predict_proba(self, features: Any) -> Any:
        """Class probabilities of any items by the learner alone, in the order of ``classes``."""
        import numpy as np

        if not hasattr(self, "learner_"):
            raise NotFittedError("this ActiveLoop is not fitted yet", hint="call `fit` first")
        return rows_of(self.learner_, np.asarray(features, dtype=float), len(self.classes))

    def predict(self, features: Any) -> list[Any]:
        """The likeliest class of any items by the learner alone."""
        return [self.classes[c] for c in self.predict_proba(features).argmax(axis=1)]

    @property
    def classes(self) -> list[Any]:
        return self.asker.classes

    def probas(self) -> Any:
        """Class probabilities of the items by answers and learner together, an array in the order of ``asker.items``."""
        return self.asker.probas()

    def labels(self) -> dict[Any, Any]:
        """The likeliest class of every item, also of those without a label."""
        best = self.probas().argmax(axis=1)
        return {i: self.classes[best[n]] for n, i in enumerate(self.asker.items)}
