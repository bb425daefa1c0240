"""Every class: parameters, learned attributes, keeping, going on."""

import copy
import doctest
import pickle
import threading

import numpy as np
import pandas as pd
import pytest

import crowdwise
from crowdwise import _methods

AGGREGATORS = [n for n in _methods.__all__ if not issubclass(getattr(crowdwise, n), crowdwise.Learner)]
CLASSES = [n for n in AGGREGATORS if "categorical" in getattr(crowdwise, n)._accepts and getattr(crowdwise, n)._needs is None]
#: For two classes only.
CLASSES = [n for n in CLASSES if n != "Sml"]
WARM = [n for n in CLASSES if hasattr(getattr(crowdwise, n), "partial_fit")]


@pytest.mark.parametrize("name", _methods.__all__)
def test_the_examples_of_the_docstrings_run(name):
    cls = getattr(crowdwise, name)
    found = doctest.DocTestFinder(recurse=False).find(cls, name, globs={})
    assert sum(len(t.examples) for t in found) >= 4, "a class has an example"
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    assert sum(runner.run(t).failed for t in found) == 0


@pytest.mark.parametrize("module", ["crowdwise", "crowdwise._api"])
def test_the_examples_of_modules_run(module):
    import importlib

    found = doctest.testmod(importlib.import_module(module))
    assert found.attempted > 0 and found.failed == 0


@pytest.mark.parametrize("name", _methods.__all__)
def test_parameters_in_scikit_learns_manners(name):
    from sklearn.base import clone

    cls = getattr(crowdwise, name)
    made = cls()
    params = made.get_params()
    assert {"random_state", "threads", "progress"} <= set(params)
    assert clone(made).get_params() == params
    assert repr(made) == f"{name}()"
    made.set_params(random_state=5)
    assert made.random_state == 5 and "random_state=5" in repr(made)
    with pytest.raises(crowdwise.ParameterError):
        made.set_params(nonsense=1)
    with pytest.raises(TypeError):
        cls(nonsense=1)
    with pytest.raises(crowdwise.NotFittedError):
        _ = made.labels_


@pytest.mark.parametrize("name", CLASSES)
def test_learned_attributes(name, sim):
    data = sim.to_pandas()
    fit = getattr(crowdwise, name)(progress=False).fit(data)
    assert fit.labels_.index.is_unique and len(fit.labels_) == 200
    assert np.allclose(fit.probas_.sum(axis=1), 1) and fit.probas_.shape == (200, 3)
    assert (fit.probas_.to_numpy() >= 0).all()
    assert isinstance(fit.converged_, bool) and fit.n_iter_ >= 0
    assert all(len(t) == 3 for t in fit.trace_)
    assert len(fit.annotators_) == 12 and fit.annotators_["n"].sum() == len(data)
    assert all(f.code and f.message for f in fit.findings_)
    if fit.confusion_ is not None:
        assert np.allclose(fit.confusion_.sum(axis=1), 1, atol=1e-6) and len(fit.confusion_) == 36
    assert fit.result_.evaluate(sim.truth)["accuracy"] == pytest.approx(sim.accuracy(fit.labels_), abs=0.03)
    assert fit.result_.document()["method"] == fit.result_.method
    assert "<table>" in fit._repr_html_()
    again = getattr(crowdwise, name)(threads=1, progress=False).fit(data)
    assert (again.probas_.to_numpy() == fit.probas_.to_numpy()).all(), "the same on one thread"


@pytest.mark.parametrize("name", CLASSES)
def test_keeping(name, sim, tmp_path):
    data = sim.to_pandas()
    fit = getattr(crowdwise, name)(progress=False).fit(data)
    fit.save(tmp_path / "kept")
    for other in (pickle.loads(pickle.dumps(fit)), copy.deepcopy(fit), copy.copy(fit), crowdwise.load(tmp_path / "kept")):
        assert type(other) is type(fit) and other.get_params() == fit.get_params()
        pd.testing.assert_frame_equal(other.probas_, fit.probas_)
        pd.testing.assert_series_equal(other.labels_, fit.labels_)
        assert other.result_.details == fit.result_.details
        pd.testing.assert_frame_equal(other.annotators_, fit.annotators_)


@pytest.mark.parametrize("name", WARM)
def test_partial_fit(name, sim):
    data = sim.to_pandas()
    first, rest = data[data["task"] < 150], data[data["task"] >= 150]
    cls = getattr(crowdwise, name)
    steps = cls(progress=False).partial_fit(first).partial_fit(rest)
    whole = cls(progress=False).fit(data)
    assert steps.labels_.index.tolist() == whole.labels_.index.tolist()
    same = (steps.labels_ == whole.labels_).mean()
    assert same > 0.95, f"{same}"
    assert steps.result_._answers.n_labels == len(data)


def test_partial_fit_is_quicker_and_knows_new_people_and_classes():
    sim = crowdwise.simulate("dawid-skene", items=600, annotators=30, per_item=5, accuracy=0.55, seed=1)
    data = sim.to_pandas()
    common = dict(tol=1e-8, accelerate=False)
    old, new = data[data["task"] < 560], data[data["task"] >= 560]
    step = crowdwise.DawidSkene(**common).fit(old).partial_fit(new)
    whole = crowdwise.DawidSkene(**common).fit(data)
    assert step.n_iter_ < whole.n_iter_
    assert np.abs(step.probas_ - whole.probas_).to_numpy().max() < 1e-3
    stranger = pd.DataFrame({"task": [1, 2, 9999], "worker": ["new", "new", "new"], "label": [0, 1, 7]})
    more = step.partial_fit(stranger.assign(worker=777))
    assert 777 in more.skills_.index and more.classes_ == [0, 1, 2, 7] and 9999 in more.labels_.index
    words = crowdwise.DawidSkene().fit([("x", "a", "u"), ("y", "b", "v")]).partial_fit([("x", "c", "u"), ("z", "a", "v")])
    assert list(words.labels_) == ["x", "y", "z"] and list(words.skills_) == ["a", "b", "c"]
    with pytest.raises(crowdwise.DataError):
        words.partial_fit(stranger)


def test_bad_parameters_come_all_at_once():
    with pytest.raises(crowdwise.ParameterError) as e:
        crowdwise.DawidSkene(max_iter=0, alpha=-1).fit([("x", "a", 1)])
    assert e.value.code == "bad-parameter" and "max_iter" in str(e.value) and "alpha" in str(e.value)
    assert isinstance(e.value, ValueError)
    again = pickle.loads(pickle.dumps(e.value))
    assert (again.code, again.hint, str(again)) == (e.value.code, e.value.hint, str(e.value))
    with pytest.raises(crowdwise.ParameterError) as e:
        crowdwise.aggregate([("x", "a", 1)], "dawid-skene", tolerance=1)
    assert e.value.code == "unknown-parameter" and "tol" in e.value.hint


def test_threads_of_python_fit_at_the_same_time(sim):
    data = sim.to_pandas()
    expected = crowdwise.DawidSkene().fit(data).probas_
    found = {}

    def work(n):
        found[n] = crowdwise.DawidSkene().fit(data).probas_

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert len(found) == 6 and all(f.equals(expected) for f in found.values())


def test_joblib(sim):
    joblib = pytest.importorskip("joblib")
    data = sim.to_pandas()
    fits = joblib.Parallel(n_jobs=2)(joblib.delayed(crowdwise.DawidSkene(max_iter=n).fit)(data) for n in (1, 5))
    assert [f.n_iter_ for f in fits] == [1, 5]


def test_other_python_threads_run_during_a_fit():
    sim = crowdwise.simulate("dawid-skene", items=40000, annotators=200, per_item=5, classes=5, seed=2)
    ticks, done = [], threading.Event()

    def tick():
        while not done.wait(0.002):
            ticks.append(1)

    other = threading.Thread(target=tick)
    other.start()
    crowdwise.DawidSkene(max_iter=300, tol=0.0).fit(sim.answers)
    done.set()
    other.join()
    assert len(ticks) > 10


def test_probabilities_of_a_classifier(sim):
    data = sim.to_pandas()
    p = crowdwise.DawidSkene(alpha=1.0).fit(data).probas_
    fits = [
        crowdwise.Crowdlab().fit(data, probabilities=given).probas_
        for given in (p, p.to_numpy(), p.iloc[::-1], p.to_dict("index"))
    ]
    assert all(f.equals(fits[0]) for f in fits) and sim.accuracy(fits[0].idxmax(axis=1)) > 0.7
    for bad in (p.iloc[1:], p.to_numpy()[:, :2], p.to_numpy() * 3, {}):
        with pytest.raises(ValueError):
            crowdwise.Crowdlab().fit(data, probabilities=bad)
    with pytest.raises(crowdwise.UnsupportedError):
        crowdwise.Crowdlab().fit(data)
