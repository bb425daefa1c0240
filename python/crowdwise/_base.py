"""What all methods have in common."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable
from html import escape
from typing import Any, ClassVar, TypeVar

from . import _crowdwise, _progress
from ._answers import Answers, answers
from ._crowdwise import Fit
from ._errors import DataError, InterruptedWarning, NotFittedError, UnsupportedError
from ._params import Params, plain
from ._result import Finding, Result

__all__ = ["Aggregator", "WarmAggregator", "load"]

Self = TypeVar("Self", bound="Aggregator")


class Aggregator(Params):
    """A method with its parameters. ``fit`` on who said what about which item; what was learned ends in ``_``.

    ``data`` is a frame (pandas, polars, pyarrow, DuckDB, anything with the Arrow C stream interface), a dictionary of
    columns, an array or a list of rows (task, worker, label), the path of a file, or what ``crowdwise.read`` gave.
    Columns are found by name (``task``, ``worker``, ``label`` and similar). What comes back has the flavour of what came
    in, and ids and labels have the types that they came with.
    """

    #: The method's id in the list.
    _id: ClassVar[str] = ""
    #: What it needs besides the answers: ``features``, ``sequences``, both, or ``edges``.
    _needs: ClassVar[str | None] = None
    #: Kinds of labels that it takes.
    _accepts: ClassVar[tuple[str, ...]] = ("categorical",)
    #: Parameters that are called otherwise in the library.
    _renamed: ClassVar[dict[str, str]] = {}
    #: Parameters for which None means the default of the library.
    _optional: ClassVar[frozenset[str]] = frozenset()
    #: Parameters of the run, not of the method.
    _run_params: ClassVar[tuple[str, ...]] = ("random_state", "threads", "progress")

    random_state: int | None
    threads: int | None
    progress: bool | None

    _answers: Answers
    _fit: Fit
    _memo: dict[str, Any]

    # -- fitting

    def fit(
        self: Self,
        data: Any,
        *,
        gold: Any = None,
        kind: str | None = None,
        item: Any = None,
        annotator: Any = None,
        label: Any = None,
        probabilities: Any = None,
        edges: Any = None,
        features: Any = None,
        sets: bool = False,
        ordered: bool | Iterable[Any] | None = None,
        count_copies: bool = False,
    ) -> Self:
        """Fits the method; returns self.

        ``gold`` is known truth of some items (a series indexed by item, a dictionary, or pairs) for methods that use it.
        ``kind`` is ``categorical``, ``real``, ``preference`` or ``similarity`` where the data do not say it. ``item``,
        ``annotator`` and ``label`` name the columns if they have unusual names. For some methods: ``probabilities`` are
        what a classifier says of the items (a frame of items x classes, a dictionary, or an array in the order of first
        appearance), ``edges`` links of items (pairs, or a frame of two columns), ``features`` a row of numbers for every
        item. With ``sets`` a label names several classes (``a|b``), and what is learned is whether an item has each of them.
        ``ordered`` is true if the classes are grades, or their order from one end of the scale to the other; by default
        well-known scales are recognised, unless it is false. Annotators who copy each other count as one voice, which a finding says, unless ``count_copies`` is true.
        Ctrl-C ends the fit with what it has, and a warning.
        """
        made = answers(
            data, self._accepts, gold=gold, kind=kind, item=item, annotator=annotator, label=label, ordered=ordered
        )
        if sets:
            made = made._as_sets()
        if probabilities is not None:
            made = made._with_probabilities(probabilities)
        if edges is not None:
            made = made._with_edges(edges)
        if features is not None:
            made = made._with_features(features)
        self._count_copies = count_copies
        return self._fit_answers(made)

    def fit_predict(self, data: Any, **options: Any) -> Any:
        """Fits the method and gives the labels."""
        return self.fit(data, **options).labels_

    def fit_predict_proba(self, data: Any, **options: Any) -> Any:
        """Fits the method and gives the class probabilities."""
        return self.fit(data, **options).probas_

    def _method_params(self) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for name in self._param_names():
            value = getattr(self, name)
            if name not in self._run_params and not (value is None and name in self._optional):
                out[self._renamed.get(name, name)] = plain(value)
        return out

    def _seed(self) -> int:
        state = getattr(self, "random_state", 0)
        if state is None:
            return 0
        if hasattr(state, "randint"):  # numpy.random.RandomState, as scikit-learn passes it
            return int(state.randint(0, 2**31 - 1))
        return int(state)

    def _fit_answers(self: Self, made: Answers, warm: Fit | None = None) -> Self:
        line = _progress.wanted(self.progress, type(self).__name__)
        try:
            copies = getattr(self, "_count_copies", False)
            fit = _crowdwise.fit(
                made._data, self._id, json.dumps(self._method_params()), self._seed(), self.threads, warm, line, copies
            )
        finally:
            if line is not None:
                line.done()
        self._take(made, fit)
        return self

    def _take(self, made: Answers, fit: Fit) -> None:
        self._answers, self._fit, self._memo = made, fit, {}
        if fit.stop == "cancelled":
            warnings.warn(
                f"{type(self).__name__} was interrupted after {fit.iterations} iterations; the result is what it had by then",
                InterruptedWarning,
                stacklevel=4,
            )

    # -- what was learned

    def _fitted(self) -> tuple[Answers, Fit]:
        try:
            return self._answers, self._fit
        except AttributeError:
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet", hint="call `fit` first") from None

    def __sklearn_is_fitted__(self) -> bool:
        return "_fit" in self.__dict__

    def _kept(self, name: str, make: Any) -> Any:
        self._fitted()
        if name not in self._memo:
            self._memo[name] = make()
        return self._memo[name]

    def _per_item(self, values: Any, name: str) -> Any:
        a, _ = self._fitted()
        return a._flavour.series(a._units(len(values)), values, name, str(a._names[0]))

    def _per_annotator(self, values: Any, name: str) -> Any:
        a, _ = self._fitted()
        return a._flavour.series(a._annotators, values, name, str(a._names[1]))

    @property
    def labels_(self) -> Any:
        """The label of every item (the value, for real labels; the score, for comparisons)."""
        return self._kept("labels", self._labels)

    def _labels(self) -> Any:
        a, f = self._fitted()
        best = f.best()
        if best is not None:
            classes = a._classes_of(f.n_classes, len(best))
            return self._per_item(a._flavour.picked(classes, best), "agg_label")
        values = f.values()
        if values is not None:
            return self._per_item(values[0], "agg_value")
        clusters = f.clusters()
        if clusters is not None:
            return a._flavour.series(a._items, clusters[0], "agg_cluster", str(a._names[0]))
        scores = f.scores()
        if scores is None:
            return None
        return a._flavour.series(a._items, scores[0], "agg_score", str(a._names[0]))

    @property
    def probas_(self) -> Any:
        """Class probabilities, a row for every item; None where labels are not classes."""
        return self._kept("probas", self._probas)

    def _probas(self) -> Any:
        a, f = self._fitted()
        posterior = f.posterior()
        if posterior is None:
            return None
        n, k = posterior.shape
        classes = a._flavour.to_list(a._classes_of(k, n))
        return a._flavour.matrix(a._units(n), classes, posterior, str(a._names[0]), str(a._names[2]))

    @property
    def classes_(self) -> list[Any]:
        """The classes, in the order of the columns of ``probas_``."""
        return self._fitted()[0].classes

    @property
    def values_(self) -> Any:
        """Real labels: value and standard error of every item."""
        a, f = self._fitted()
        found = f.values()
        if found is None:
            return None
        ids = a._units(len(found[0]))
        return a._flavour.table(ids, {"value": found[0].tolist(), "sd": found[1].tolist()}, str(a._names[0]))

    @property
    def scores_(self) -> Any:
        """Comparisons: the score of every item."""
        return self.labels_ if self._fitted()[1].scores() is not None else None

    @property
    def ranking_(self) -> Any:
        """Comparisons: score, interval and component of every item."""
        a, f = self._fitted()
        found = f.scores()
        if found is None:
            return None
        score, interval, component = found
        columns = {"score": score, "low": interval[:, 0], "high": interval[:, 1], "component": component}
        ranks = f.ranks()
        if ranks is not None:
            columns.update(best_rank=ranks[:, 0], worst_rank=ranks[:, 1])
        return a._flavour.table(a._items, {k: v.tolist() for k, v in columns.items()}, str(a._names[0]))

    @property
    def clusters_(self) -> Any:
        """Similarities: the cluster of every item, and how sure it is."""
        a, f = self._fitted()
        found = f.clusters()
        if found is None:
            return None
        columns = {"cluster": found[0].tolist(), "confidence": found[1].tolist()}
        return a._flavour.table(a._items, columns, str(a._names[0]))

    @property
    def same_(self) -> Any:
        """Similarities: the probability that the two items of every judged pair are the same."""
        found = self._fitted()[1].clusters()
        return None if found is None else self._per_item(found[2], "same")

    @property
    def skills_(self) -> Any:
        """The number by which the method ranks annotators; None if it has none."""
        weight = self._fitted()[1].weight()
        return None if weight is None else self._per_annotator(weight, "skill")

    @property
    def priors_(self) -> Any:
        """The share of every class in the model."""
        a, f = self._fitted()
        prior = f.class_prior()
        return None if prior is None else a._flavour.series(a._classes, prior, "prior", str(a._names[2]))

    @property
    def confusion_(self) -> Any:
        """Confusion matrices: P(label | truth), a row for every annotator and truth, a column for every label."""
        return self._kept("confusion", self._matrices)

    def _matrices(self) -> Any:
        a, f = self._fitted()
        found = f.confusion()
        if found is None:
            return None
        return a._flavour.confusion(a._annotators, a.classes, found, str(a._names[1]), "truth", str(a._names[2]))

    @property
    def difficulty_(self) -> Any:
        """How hard every item is, for the methods that model it."""
        found = self._fitted()[1].difficulty()
        return None if found is None else self._per_item(found, "difficulty")

    @property
    def annotators_(self) -> Any:
        """The table of annotators: labels, accuracy with its interval, information, agreement, flags."""
        return self._kept("annotators", lambda: self.result_.annotators())

    @property
    def findings_(self) -> list[Finding]:
        """Problems of the data and of the fit, with advice."""
        return self._kept("findings", lambda: self.result_.findings())

    @property
    def trace_(self) -> list[tuple[int, float | None, float]]:
        """(iteration, objective, largest change) of every iteration."""
        return self._fitted()[1].trace

    @property
    def loss_history_(self) -> list[float]:
        """The objective after every iteration (of those that have one)."""
        return [o for _, o, _ in self.trace_ if o is not None]

    @property
    def converged_(self) -> bool:
        """Whether the iterations ended by themselves (or there was nothing to iterate)."""
        return self._fitted()[1].stop in ("converged", "settled", "direct")

    @property
    def n_iter_(self) -> int:
        return self._fitted()[1].iterations

    @property
    def result_(self) -> Result:
        """Everything that can be asked of the fit."""
        a, f = self._fitted()
        return Result(a, f)

    # -- keeping

    def save(self, path: str | os.PathLike[str]) -> None:
        """Keeps the method and what it learned in a file; ``crowdwise.load`` reads it."""
        from ._save import save

        save(self, path)

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k != "_memo"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._memo = {}

    def _repr_html_(self) -> str:
        if not self.__sklearn_is_fitted__():
            return f"<pre>{escape(repr(self))}</pre>"
        return f"<pre>{escape(repr(self))}</pre>{self.result_._repr_html_()}"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            input_tags=InputTags(one_d_array=False, string=True),
        )


class WarmAggregator(Aggregator):
    """A method that can go on from an earlier fit."""

    def partial_fit(
        self: Self,
        data: Any,
        *,
        gold: Any = None,
        item: Any = None,
        annotator: Any = None,
        label: Any = None,
    ) -> Self:
        """Adds new answers to those of earlier calls and fits again, beginning where the last fit ended.

        The result is that of a fit to all answers so far, reached in fewer iterations. Annotators who are new begin with
        the mean of those who are known; if a class is new, the fit begins anew.
        """
        new = answers(data, self._accepts, gold=gold, item=item, annotator=annotator, label=label)
        if not self.__sklearn_is_fitted__():
            return self._fit_answers(new)
        old, fit = self._fitted()
        if old.kind != new.kind:
            raise DataError(f"the first answers were {old.kind}, these are {new.kind}", "bad-data")
        joined = old._joined(new)
        return self._fit_answers(joined, fit.for_data(joined._data))


def load(path: str | os.PathLike[str]) -> Any:
    """Reads what ``save`` wrote."""
    from ._save import load as read_back

    return read_back(path)


def refuse(what: str, hint: str | None = None) -> UnsupportedError:
    return UnsupportedError(what, "unsupported", hint)
