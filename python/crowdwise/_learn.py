"""Classifiers learned from features and the answers of a crowd, in scikit-learn's manners."""

from __future__ import annotations

import json
import warnings
from typing import Any, ClassVar, TypeVar

from . import _crowdwise, _frames, _own, _progress, _turns
from ._answers import Answers, answers
from ._base import Aggregator, refuse
from ._crowdwise import Data, Fit, Model
from ._errors import DataError, InterruptedWarning, NotFittedError

__all__ = ["Learner"]

Self = TypeVar("Self", bound="Learner")


class Learner(Aggregator):
    """A classifier. ``fit(X, answers)``, then ``predict(X)``, ``predict_proba(X)``, ``score(X, y)``.

    ``X`` has a row of numbers for every item (or images, items x height x width (x channels)). ``answers`` is one of

    - an array, items x annotators, with -1, NaN or None where somebody gave no label (a frame's columns name the
      annotators): the form that cross-validation can cut;
    - one label for every item: the labels of a single annotator;
    - a table of (task, worker, label), where the task is the number of a row of ``X`` (or its index label, if ``X`` is a
      pandas frame).
    """

    _estimator_type: ClassVar[str] = "classifier"

    _model: Model | None
    _network: Any
    _estimator: Any

    def fit(  # type: ignore[override]
        self: Self,
        X: Any,
        y: Any = None,
        *,
        answers: Any = None,
        gold: Any = None,
        item: Any = None,
        annotator: Any = None,
        label: Any = None,
        count_copies: bool = False,
    ) -> Self:
        """Trains the classifier; returns self. ``y`` or ``answers`` is what the crowd said, in any of the forms above.

        Annotators who copy each other count as one voice, which a finding says, unless ``count_copies`` is true.
        Ctrl-C ends the training with the best so far, and a warning.
        """
        given = answers if answers is not None else y
        if given is None:
            raise DataError(
                f"{type(self).__name__} requires y to be passed, but the target y is None", "bad-data", "fit(X, answers)"
            )
        x, image = _features(X, self)
        made, x = _made(X, x, given, gold, {"item": item, "annotator": annotator, "label": label})
        if made.kind != "categorical":
            raise DataError(f"a classifier needs classes, not {made.kind} labels", "wrong-label-kind")
        own = self._own_network(made._data, x, image)
        self._estimator = None
        self._count_copies = count_copies
        if own is not None and _own.is_estimator(own):
            model, fit = None, self._fit_estimator(made._data, x, own)
        else:
            fit, model = self._train(made._data, x, image, own)
        self._model = model
        self._network = own if model is None and self._estimator is None else None
        self._image = image
        self._take_learned(made, fit)
        self.n_features_in_ = x.shape[1]
        names = _names(X)
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def _train(self, data: Data, x: Any, image: Any, own: Any) -> tuple[Fit, Model | None]:
        line = _progress.wanted(self.progress, type(self).__name__)
        params = json.dumps(self._method_params())
        try:
            seed, copies = self._seed(), self._count_copies
            return _crowdwise.learn(data, x, self._id, params, seed, self.threads, image, line, own, copies)
        finally:
            if line is not None:
                line.done()

    def _own_network(self, data: Data, x: Any, image: Any) -> Any:
        """What the caller brought in place of the built-in network, with the calls that training needs."""
        network = getattr(self, "network", None)
        if network is None or isinstance(network, str):
            return None
        if _own.is_network(network) and not _own.is_torch(network):
            return network
        if _own.is_torch(network):
            rate, decay = getattr(self, "learning_rate", 1e-3), getattr(self, "weight_decay", 0.0)
            return _own.TorchNetwork(network, x.shape[1], data.n_classes, image, rate, decay)
        if _own.is_estimator(network):
            if self._id not in _turns.METHODS:
                raise refuse(
                    f"{type(self).__name__} needs the gradient of its network, which a scikit-learn classifier has not",
                    "Aggnet, MBEM, DeepMF, DeepBP and TwoStage take such classifiers",
                )
            import copy

            return copy.deepcopy(network)
        raise DataError(
            f"{type(network).__name__} is not a network", "bad-parameter", "a torch module, or a classifier with predict_proba"
        )

    def _fit_estimator(self, data: Data, x: Any, estimator: Any) -> Fit:
        """Turns with a classifier like those of scikit-learn."""
        self._estimator, fit = _turns.learn(data, x, estimator, self._id, self._method_params(), self._seed())
        return fit

    def _method_params(self) -> dict[str, Any]:
        network = getattr(self, "network", None)
        if network is None or isinstance(network, str):
            return super()._method_params()
        self.network = "auto"
        try:
            return super()._method_params()
        finally:
            self.network = network

    def _take_learned(self, made: Answers, fit: Fit) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InterruptedWarning)
            self._take(made, fit)
        if fit.stop == "cancelled":
            warnings.warn(f"{type(self).__name__} was interrupted; it is the best so far", InterruptedWarning, stacklevel=3)

    @property
    def classes_(self) -> Any:
        """The classes, in the order of the columns of ``predict_proba``."""
        import numpy as np

        return np.asarray(self._fitted()[0].classes)

    @property
    def n_iter_(self) -> int:
        """Epochs of training."""
        return max(1, self._fitted()[1].iterations)

    def predict_proba(self, X: Any, answers: Any = None) -> Any:
        """Class probabilities, a row for every row of ``X``; with ``answers`` the labels of known annotators count, too."""
        self._fitted()
        x, image = _features(X, self, self.n_features_in_)
        if answers is None and self._estimator is not None:
            return _turns.rows_of(self._estimator, x, len(self.classes_))
        if answers is None and self._network is not None:
            return _own.probabilities(self._network, x)
        if self._model is None:
            raise refuse("answers count in predictions of the built-in network only", "predict_proba(X)")
        if answers is None:
            return self._model.predict(x, image, self.threads)
        made, x = _made(X, x, answers, None, {}, every_row=True)
        found, strangers = self._model.predict_with_labels(made._data, x, image)
        if strangers:
            warnings.warn(f"{strangers} labels by annotators whom the model does not know left out", stacklevel=2)
        # items without labels come last in the data
        out = found.copy()
        out[made._rows] = found
        return out

    def predict(self, X: Any, answers: Any = None) -> Any:
        """The most probable class of every row of ``X``."""
        return self.classes_[self.predict_proba(X, answers).argmax(axis=1)]

    def predict_log_proba(self, X: Any) -> Any:
        import numpy as np

        return np.log(self.predict_proba(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows that are classified as ``y`` says. Of a matrix of answers: the share of answers."""
        import numpy as np

        said, truth = self.predict(X), np.asarray(y)
        if truth.ndim == 2:
            known = ~_missing(truth)
            return float((truth == said[:, None])[known].mean())
        return float(np.average(said == truth, weights=sample_weight))

    def uncertainty(self, X: Any, passes: int = 20) -> dict[str, Any]:
        """``probability``, ``entropy`` and ``bald`` (both in bits) of networks drawn by dropout."""
        self._fitted()
        if self._model is None:
            raise refuse("uncertainty by dropout is there for the built-in network only")
        x, image = _features(X, self, self._model.width)
        mean, entropy, bald = self._model.sample(x, passes, image)
        return {"probability": mean, "entropy": entropy, "bald": bald}

    def fit_predict(self, X: Any, y: Any = None, **options: Any) -> Any:  # type: ignore[override]
        """Trains, and classifies the training items from their features and labels."""
        return self.fit(X, y, **options).labels_

    def fit_predict_proba(self, X: Any, y: Any = None, **options: Any) -> Any:  # type: ignore[override]
        """Trains, and gives the class probabilities of the training items from their features and labels."""
        return self.fit(X, y, **options).probas_

    def _fitted(self) -> tuple[Answers, Fit]:
        try:
            return self._answers, self._fit
        except AttributeError:
            raise _not_fitted(type(self).__name__) from None

    # -- keeping

    def _parts(self) -> dict[str, bytes]:
        from ._save import parts_of

        if not self.__sklearn_is_fitted__():
            return {}
        if self._model is None:
            raise refuse("a network of another framework is kept by that framework, or by pickle")
        extra = {"image": self._image, "n_features_in_": self.n_features_in_}
        if hasattr(self, "feature_names_in_"):
            extra["feature_names_in_"] = list(self.feature_names_in_)
        return {
            **parts_of(self._answers),
            "fit.bin": self._fit.to_bytes(),
            "model.bin": self._model.to_bytes(),
            "learner.json": json.dumps(extra).encode(),
        }

    def _restore_parts(self, parts: dict[str, bytes]) -> None:
        from ._save import answers_of

        if "model.bin" not in parts:
            return
        import numpy as np

        extra = json.loads(parts["learner.json"])
        self._model, self._network, self._estimator = Model.from_bytes(parts["model.bin"]), None, None
        self._image = extra["image"]
        self.n_features_in_ = extra["n_features_in_"]
        if "feature_names_in_" in extra:
            self.feature_names_in_ = np.array(extra["feature_names_in_"], dtype=object)
        self._take_learned(answers_of(parts), Fit.from_bytes(parts["fit.bin"]))

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True, two_d_labels=True),
            input_tags=InputTags(two_d_array=True, three_d_array=True, allow_nan=False),
            classifier_tags=ClassifierTags(poor_score=False, multi_class=True),
        )


def _not_fitted(name: str) -> Exception:
    message, hint = f"this {name} is not fitted yet", "call `fit` first"
    try:
        from sklearn.exceptions import NotFittedError as Theirs
    except ImportError:
        return NotFittedError(message, hint=hint)
    kind = type("NotFittedError", (NotFittedError, Theirs), {})
    return kind(message, hint=hint)


def _names(X: Any) -> Any:
    """Names of the features, if all are text."""
    import numpy as np

    columns = getattr(X, "columns", None)
    if columns is None or callable(columns):
        return None
    names = list(columns)
    return np.array(names, dtype=object) if names and all(isinstance(n, str) for n in names) else None


def _features(X: Any, learner: Any, width: int | None = None) -> tuple[Any, Any]:
    """Rows of single numbers, and the shape of images."""
    import numpy as np

    name = type(learner).__name__
    if hasattr(X, "toarray"):
        raise DataError(
            f"{name} does not take sparse matrices: sparse input", "bad-data", "X.toarray() makes it a dense one"
        )
    if _frames._from_module(X, "polars"):
        X = X.to_numpy()
    elif hasattr(X, "__arrow_c_stream__") and not _frames._from_module(X, "pandas"):
        X = np.column_stack([np.asarray(c) for c in X.columns])
    x = np.asarray(X)
    if x.dtype.kind == "c":
        raise DataError("Complex data not supported: features must be real numbers", "bad-data")
    if x.dtype.kind not in "fiub":
        try:
            x = x.astype(np.float64)
        except (TypeError, ValueError) as e:
            kind = TypeError if "argument must be" in str(e) else None
            if kind is not None:
                raise TypeError(f"features must be numbers: {e}") from None
            raise DataError(f"features must be numbers: {e}", "bad-data") from None
    image: list[int] | None = None
    if x.ndim in (3, 4):
        image = [x.shape[1], x.shape[2], x.shape[3] if x.ndim == 4 else 1]
        x = x.reshape(x.shape[0], -1)
    if x.ndim != 2:
        raise DataError(
            f"Expected 2D array, got {x.ndim}D array instead",
            "bad-data",
            "Reshape your data: X.reshape(-1, 1) for one feature, X.reshape(1, -1) for one item",
        )
    if x.shape[0] == 0:
        raise DataError(f"Found array with 0 sample(s) (shape={x.shape}) while a minimum of 1 is required", "no-data")
    if x.shape[1] == 0:
        raise DataError(
            f"Found array with 0 feature(s) (shape={x.shape}) while a minimum of 1 is required.", "no-data"
        )
    if width is not None and x.shape[1] != width:
        raise DataError(
            f"X has {x.shape[1]} features, but {name} is expecting {width} features as input", "bad-data"
        )
    with np.errstate(over="ignore"):
        single = np.ascontiguousarray(x, dtype=np.float32)
    if not np.isfinite(single).all():
        what = "NaN" if np.isnan(single).any() else "infinity or a value too large for float32"
        raise DataError(f"Input X contains {what}", "bad-data", "fill or leave out such values first")
    names = getattr(learner, "feature_names_in_", None)
    if width is not None and names is not None:
        _check_names(names, X, name)
    return single, image


def _check_names(names: Any, X: Any, learner: str) -> None:
    now = _names(X)
    if now is None:
        warnings.warn(
            f"X does not have valid feature names, but {learner} was fitted with feature names", UserWarning, stacklevel=4
        )
    elif list(now) != list(names):
        unseen, missing = [n for n in now if n not in names], [n for n in names if n not in now]
        text = "The feature names should match those that were passed during fit.\n"
        if unseen:
            text += "Feature names unseen at fit time:\n" + "".join(f"- {n}\n" for n in unseen[:5])
        if missing:
            text += "Feature names seen at fit time, yet now missing:\n" + "".join(f"- {n}\n" for n in missing[:5])
        if not unseen and not missing:
            text += "Feature names must be in the same order as they were in fit.\n"
        raise ValueError(text)


def _missing(array: Any) -> Any:
    """Where a matrix of answers has none."""
    import numpy as np

    if array.dtype.kind == "f":
        return np.isnan(array) | (array == -1)
    if array.dtype.kind in "iu":
        return array == -1
    if array.dtype.kind == "b":
        return np.zeros(array.shape, dtype=bool)
    return np.frompyfunc(lambda v: v is None or v != v or v == "" or v == -1, 1, 1)(array).astype(bool)


def _made(
    X: Any, x: Any, given: Any, gold: Any, columns: dict[str, Any], every_row: bool = False
) -> tuple[Answers, Any]:
    """Answers, and the rows of `x` in the order of their items."""
    import numpy as np

    n = x.shape[0]
    if isinstance(given, Answers):
        return _by_table(X, x, given, every_row)
    wide = np.asarray(given) if _is_matrix(given, n) else None
    if wide is None:
        made = answers(given, ("categorical",), gold=gold, **columns)
        return _by_table(X, x, made, every_row)
    if wide.shape[0] != n:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: {[n, wide.shape[0]]}", "bad-data"
        )
    if wide.dtype.kind == "c":
        raise DataError("Complex data not supported: labels must be classes", "bad-data")
    if wide.ndim == 1:
        if wide.dtype.kind == "f":
            if not np.isfinite(wide).all():
                raise DataError("Input y contains NaN or infinity", "bad-data")
            if (wide != np.floor(wide)).any():
                raise DataError("Unknown label type: continuous. Labels must be classes", "wrong-label-kind")
        item, who, label = np.arange(n), np.zeros(n, dtype=np.int64), wide
    else:
        there = ~_missing(wide)
        item, who = np.nonzero(there)
        label = wide[there]
    names = getattr(given, "columns", None)
    if names is not None and wide.ndim == 2:
        people: Any = np.asarray(list(names), dtype=object)[who]
    else:
        people = who
    # every row is an item, also without labels
    bare = np.setdiff1d(np.arange(n), item)
    parts = {"task": np.concatenate([item, bare]), "worker": people, "label": label}
    return _with_bare(parts, bare, x, gold)


def _with_bare(parts: dict[str, Any], bare: Any, x: Any, gold: Any) -> tuple[Answers, Any]:
    """Answers in which some items have no label."""
    import numpy as np

    source = _frames.PlainSource({"task": parts["task"]})
    label, who = _frames.of_values(parts["label"]), _frames.of_values(parts["worker"])
    task = source.column("task")
    if len(bare):
        label, who = label.lengthened(len(bare)), who.filled(len(bare))
    from ._answers import truth_pairs

    data = Data.classes(task, who, label, truth_pairs(gold), False)
    rows = np.asarray(data.item_rows())
    items = [int(i) for i in parts["task"][rows]]
    people = [_frames._scalar(parts["worker"][r]) for r in data.annotator_rows()]
    values = [_frames._scalar(parts["label"][r]) for r in data.class_rows() if r >= 0]
    texts = data.class_names()
    if len(values) < len(texts):
        values += texts[len(values) :]
    if data.n_classes < 2:
        raise DataError(
            f"only one class ({values[0]!r}) is in the labels: a classifier needs at least 2 classes", "bad-data"
        )
    made = Answers(data, _frames.FLAVOURS["python"], items, people, values)
    made._rows = np.asarray(items)
    return made, np.ascontiguousarray(x[made._rows])


def _is_matrix(given: Any, n: int) -> bool:
    """Whether answers are an array with a row for every item."""
    if _frames._from_module(given, "pandas"):
        if not hasattr(given, "columns"):
            return True
        src = _frames.PandasSource(given)
        return src.find("annotator") is None or src.find("label") is None
    if hasattr(given, "__arrow_c_stream__") or isinstance(given, (dict, str)):
        return False
    if isinstance(given, list) and given and isinstance(given[0], tuple):
        return False
    return True


def _by_table(X: Any, x: Any, made: Answers, every_row: bool) -> tuple[Answers, Any]:
    """The rows of `x` for the items of a table."""
    import numpy as np

    items = made.items
    index = getattr(X, "index", None)
    place: dict[Any, int]
    if index is not None and _frames._from_module(X, "pandas"):
        place = {v: r for r, v in enumerate(index.tolist())}
    else:
        place = {r: r for r in range(x.shape[0])}
        items = [int(i) if isinstance(i, str) and i.isdigit() else i for i in items]
    unknown = [i for i in items if i not in place]
    if unknown:
        raise DataError(
            f"{len(unknown)} items have no row of features, the first is {unknown[0]!r}",
            "bad-data",
            "the task is the number of a row of X, or its index label",
        )
    rows = np.array([place[i] for i in items])
    if every_row and (len(rows) != x.shape[0] or (rows != np.arange(len(rows))).any()):
        raise DataError("answers for a prediction must be an array with a row for every row of X", "bad-data")
    made._rows = rows
    return made, np.ascontiguousarray(x[rows])
