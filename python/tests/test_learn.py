"""Learners in scikit-learn's manners."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import crowdwise
from crowdwise import _methods

LEARNERS = [n for n in _methods.__all__ if issubclass(getattr(crowdwise, n), crowdwise.Learner)]


@pytest.fixture(scope="module")
def crowd():
    return crowdwise.simulate(
        "dawid-skene", items=400, annotators=15, per_item=4, features=5, separation=4.0, accuracy=0.65, seed=4
    )


@pytest.mark.parametrize("name", LEARNERS)
def test_learns(name, crowd):
    model = getattr(crowdwise, name)(progress=False).fit(crowd.features, crowd.matrix())
    assert model.score(crowd.features, crowd.truth_array()) > 0.85
    p = model.predict_proba(crowd.features)
    assert p.shape == (400, 3) and np.allclose(p.sum(axis=1), 1)
    assert (model.classes_[p.argmax(axis=1)] == model.predict(crowd.features)).all()
    assert sum(model.labels_[i] == t for i, t in crowd.truth.items()) > 320
    other = pickle.loads(pickle.dumps(model))
    assert (other.predict_proba(crowd.features) == p).all()
    assert len(model.annotators_) == 15


def test_every_form_of_answers(crowd, tmp_path):
    make = lambda: crowdwise.Raykar(progress=False)  # noqa: E731
    by_matrix = make().fit(crowd.features, crowd.matrix())
    by_table = make().fit(crowd.features, crowd.to_pandas())
    assert np.allclose(by_matrix.predict_proba(crowd.features), by_table.predict_proba(crowd.features), atol=1e-6)
    named = pd.DataFrame(crowd.features, index=[f"i{n}" for n in range(400)], columns=list("abcde"))
    table = crowd.to_pandas().assign(task=lambda d: "i" + d["task"].astype(str))
    words = make().fit(named, table.assign(label=table["label"].map({0: "cat", 1: "dog", 2: "emu"})))
    assert set(words.predict(named)) <= {"cat", "dog", "emu"} and list(words.feature_names_in_) == list("abcde")
    with pytest.warns(UserWarning, match="feature names"):
        words.predict(crowd.features)
    with pytest.raises(ValueError, match="no row of features"):
        make().fit(named, crowd.to_pandas())
    wide = pd.DataFrame(crowd.matrix(), columns=[f"w{n}" for n in range(15)]).replace(-1, np.nan)
    by_wide = make().fit(crowd.features, wide)
    assert by_wide._answers.annotators[0].startswith("w")
    assert np.allclose(by_wide.predict_proba(crowd.features), by_matrix.predict_proba(crowd.features), atol=1e-6)
    more = by_matrix.predict_proba(crowd.features, crowd.matrix())
    said = by_matrix.classes_[more.argmax(axis=1)]
    assert (said == crowd.truth_array()).mean() >= by_matrix.score(crowd.features, crowd.truth_array()) - 0.01
    by_matrix.save(tmp_path / "m")
    again = crowdwise.load(tmp_path / "m")
    assert (again.predict_proba(crowd.features) == by_matrix.predict_proba(crowd.features)).all()


def test_predictions_with_answers_keep_the_order_of_the_rows(crowd):
    model = crowdwise.Raykar(progress=False).fit(crowd.features, crowd.matrix())
    some = crowd.matrix()
    some[::3] = -1
    alone, both = model.predict_proba(crowd.features), model.predict_proba(crowd.features, some)
    assert np.allclose(both[::3], alone[::3]) and not np.allclose(both[1::3], alone[1::3])
    rest = np.arange(400) % 3 > 0
    assert np.allclose(both[rest], model.predict_proba(crowd.features, crowd.matrix())[rest])


def test_images_and_uncertainty():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 120)
    images = rng.normal(size=(120, 8, 8)).astype(np.float32)
    images[truth == 1, :4] += 1.5
    answers = np.where(rng.random((120, 3)) < 0.8, truth[:, None], 1 - truth[:, None])
    model = crowdwise.Aggnet(progress=False).fit(images, answers)
    assert model.score(images, truth) > 0.8
    found = model.uncertainty(images, passes=3)
    assert found["bald"].shape == (120,) and (found["entropy"] >= 0).all()


def test_scikit_learn_tools(crowd):
    pipeline = make_pipeline(StandardScaler(), crowdwise.TwoStage(progress=False))
    pipeline.fit(crowd.features, crowd.matrix())
    assert pipeline.score(crowd.features, crowd.truth_array()) > 0.85
    scores = cross_val_score(crowdwise.Raykar(progress=False), crowd.features, crowd.matrix(), cv=3)
    assert scores.shape == (3,) and (scores > 0.5).all()
    model = crowdwise.Raykar(progress=False).fit(crowd.features, crowd.matrix())
    assert clone(model).get_params() == model.get_params() and not hasattr(clone(model), "_fit")
    assert copy.deepcopy(model).score(crowd.features, crowd.truth_array()) > 0.8


#: Checks of scikit-learn that cannot hold for learners from crowds, with the reason.
NOT_FOR_CROWDS = {
    "check_supervised_y_2d": "a matrix of answers has a column for every annotator: with one column it is no mistake",
    "check_methods_subset_invariance": "networks work in single precision: a batch of another size moves the seventh digit",
}
#: The same for single learners.
ONE_ANNOTATOR = "with one annotator, errors that depend on the item explain the labels as well as classes do"
NOT_FOR = {name: {"check_classifiers_train": ONE_ANNOTATOR} for name in ("InstanceConfusion", "Mnn")}
#: One label for every item is one annotator, whom Dawid-Skene cannot judge: the first stage must be the vote.
#: The tables of the checks are small: belief propagation wants a network that has learned something in a few steps.
OPTIONS = {"TwoStage": {"method": "majority-vote"}, "DeepBP": {"learning_rate": 0.01}}


@pytest.mark.parametrize("name", LEARNERS)
def test_checks_of_scikit_learn(name):
    made = getattr(crowdwise, name)(progress=False, **OPTIONS.get(name, {}))
    excused = {**NOT_FOR_CROWDS, **NOT_FOR.get(name, {})}
    results = check_estimator(made, expected_failed_checks=excused, on_fail=None)
    failed = [f"{r['check_name']}: {r['exception']!r}"[:300] for r in results if r["status"] == "failed"]
    assert not failed, "\n".join(failed)
    assert sum(r["status"] == "passed" for r in results) > 40


class Linear:
    """Soft-max regression with plain gradient steps: what a network of another framework looks like from here."""

    def __init__(self, width, outputs, rate=0.5, fail_after=None):
        self.width, self.outputs, self.rate, self.factor = width, outputs, rate, 1.0
        self.w = np.zeros((width + 1, outputs), dtype=np.float32)
        self.calls = {"train": 0, "eval": 0, "sample": 0}
        self.fail_after = fail_after

    def forward(self, x, mode):
        self.calls[mode] += 1
        if self.fail_after is not None and self.calls["train"] > self.fail_after:
            raise ZeroDivisionError("the caller's own mistake")
        self.x = np.column_stack([x, np.ones(len(x), dtype=np.float32)])
        return self.x @ self.w

    def backward(self, d_scores):
        self.w -= np.float32(self.rate * self.factor) * (self.x.T @ d_scores)

    def input_gradient(self, d_scores):
        return np.ascontiguousarray(d_scores @ self.w[:-1].T)

    def set_rate(self, factor):
        self.factor = factor

    def snapshot(self):
        return self.w.ravel().copy()

    def restore(self, weights):
        self.w = weights.reshape(self.w.shape).copy()


OWN = ["Aggnet", "CrowdLayer", "TraceReg", "GeoCrowdNet", "MaxMig", "BayesDgc", "TwoStage", "MBEM", "DeepMF", "AdvCrowd", "Mnn", "Dlc"]


@pytest.mark.parametrize("name", OWN)
def test_a_network_of_your_own(name, crowd):
    own = Linear(5, 3)
    model = getattr(crowdwise, name)(network=own, epochs=40, progress=False).fit(crowd.features, crowd.matrix())
    assert own.calls["train"] > 40 and own.w.any()
    assert model.score(crowd.features, crowd.truth_array()) > 0.85
    assert np.allclose(model.predict_proba(crowd.features).sum(axis=1), 1)
    assert len(model.labels_) == 400 and len(model.annotators_) == 15
    with pytest.raises(crowdwise.DataError, match="pickle"):
        model.save("nowhere")


def test_mistakes_in_a_network_of_your_own(crowd):
    with pytest.raises(ZeroDivisionError, match="own mistake"):
        crowdwise.Aggnet(network=Linear(5, 3, fail_after=5), progress=False).fit(crowd.features, crowd.matrix())
    with pytest.raises(crowdwise.DataError, match="maps 5 numbers to 4"):
        crowdwise.Aggnet(network=Linear(5, 4), progress=False).fit(crowd.features, crowd.matrix())
    with pytest.raises(crowdwise.UnsupportedError):
        crowdwise.DoctorNet(network=Linear(5, 3), progress=False).fit(crowd.features, crowd.matrix())
    blind = Linear(5, 3)
    blind.input_gradient = None
    with pytest.raises(TypeError):
        crowdwise.AdvCrowd(network=blind, progress=False).fit(crowd.features, crowd.matrix())
    with pytest.raises(crowdwise.CrowdwiseError):
        crowdwise.Aggnet(network=17, progress=False).fit(crowd.features, crowd.matrix())


TORCH = ["Aggnet", "CrowdLayer", "TraceReg", "GeoCrowdNet", "MaxMig", "BayesDgc", "TwoStage", "MBEM", "DeepMF", "AdvCrowd"]


@pytest.mark.parametrize("name", TORCH)
def test_torch_modules(name, crowd):
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    module = torch.nn.Sequential(torch.nn.Linear(5, 16), torch.nn.ReLU(), torch.nn.Dropout(0.1), torch.nn.Linear(16, 3))
    before = [p.detach().clone() for p in module.parameters()]
    cls = getattr(crowdwise, name)
    model = cls(network=module, epochs=60, learning_rate=0.01, progress=False).fit(crowd.features, crowd.matrix())
    assert model.score(crowd.features, crowd.truth_array()) > 0.85
    assert any((a != b).any() for a, b in zip(before, module.parameters())), "the module itself is trained"
    assert np.allclose(model.predict_proba(crowd.features).sum(axis=1), 1)


def test_torch_images():
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    images = rng.normal(size=(200, 8, 8, 3)).astype(np.float32)
    images[truth == 1, :4] += 1.0
    said = np.where(rng.random((200, 3)) < 0.8, truth[:, None], 1 - truth[:, None])
    module = torch.nn.Sequential(
        torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(144, 2)
    )
    model = crowdwise.CrowdLayer(network=module, epochs=15, progress=False).fit(images, said)
    assert model.score(images, truth) > 0.85


def test_the_gradient_by_the_features_of_a_torch_module():
    torch = pytest.importorskip("torch")
    from crowdwise._own import TorchNetwork

    torch.manual_seed(0)
    net = TorchNetwork(torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2)), 3, 2)
    x, d = np.array([[0.3, -0.2, 0.5]], dtype=np.float32), np.array([[1.0, -0.5]], dtype=np.float32)
    net.forward(x, "eval")
    slope = net.input_gradient(d)
    for c in range(3):
        step = np.zeros_like(x)
        step[0, c] = 1e-2
        by_steps = ((net.forward(x + step, "eval") - net.forward(x - step, "eval")) * d).sum() / 2e-2
        assert slope[0, c] == pytest.approx(by_steps, abs=1e-3)


@pytest.mark.parametrize("name", ["TwoStage", "Aggnet", "MBEM", "DeepMF", "DeepBP"])
def test_a_classifier_of_scikit_learn(name, crowd):
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB

    cls = getattr(crowdwise, name)
    for classifier in (LogisticRegression(max_iter=500), GaussianNB()):
        model = cls(network=classifier, progress=False).fit(crowd.features, crowd.matrix())
        assert model.score(crowd.features, crowd.truth_array()) > 0.85
        assert sum(model.labels_[i] == t for i, t in crowd.truth.items()) > 320
        assert not hasattr(classifier, "classes_"), "the caller's classifier stays as it was"
        assert len(model.annotators_) == 15 and np.allclose(model.predict_proba(crowd.features).sum(axis=1), 1)
        truth = [a["accuracy"] for a in crowd.annotators]
        found = {row["worker"]: row["accuracy"] for row in model.annotators_}
        assert np.corrcoef(truth, [found[j] for j in range(15)])[0, 1] > 0.5, "annotators are judged rightly"


def test_turns_with_a_classifier_are_those_of_the_built_in_network(crowd):
    """Soft-max regression to its end, here and there: the same rule gives nearly the same answers."""
    from sklearn.linear_model import LogisticRegression

    own = crowdwise.Aggnet(network=LogisticRegression(max_iter=500), progress=False).fit(crowd.features, crowd.matrix())
    raykar = crowdwise.Raykar(progress=False).fit(crowd.features, crowd.matrix())
    same = np.mean([own.labels_[i] == raykar.labels_[i] for i in range(400)])
    assert same > 0.97, f"{same}"


def test_known_truth_stays_with_a_classifier(crowd):
    from sklearn.naive_bayes import GaussianNB

    gold = {i: int((t + 1) % 3) for i, t in crowd.truth.items() if i < 5}  # wrong on purpose
    for cls in (crowdwise.TwoStage, crowdwise.Aggnet, crowdwise.MBEM, crowdwise.DeepMF, crowdwise.DeepBP):
        model = cls(network=GaussianNB(), progress=False).fit(crowd.features, crowd.matrix(), gold=gold)
        assert all(model.labels_[i] == g for i, g in gold.items()), cls.__name__


def test_learners_that_need_a_gradient_refuse_such_classifiers(crowd):
    from sklearn.naive_bayes import GaussianNB

    for cls in (crowdwise.MaxMig, crowdwise.CrowdLayer, crowdwise.AdvCrowd):
        with pytest.raises(crowdwise.UnsupportedError, match="gradient"):
            cls(network=GaussianNB(), progress=False).fit(crowd.features, crowd.matrix())


def test_numbers_of_the_turns():
    from crowdwise import _turns

    # digamma(1) is minus Euler's constant, digamma(x + 1) = digamma(x) + 1/x
    assert _turns.digamma(1.0) == pytest.approx(-0.5772156649015329, abs=1e-11)
    x = np.array([0.01, 0.5, 3.7, 40.0])
    assert np.allclose(_turns.digamma(x + 1), _turns.digamma(x) + 1 / x, atol=1e-10)
    rows = _turns.clipped(np.array([[0.98, 0.01, 0.01], [0.5, 0.5, 0.0]]), 0.9)
    assert np.allclose(rows, [[0.9, 0.05, 0.05], [0.5, 0.5, 0.0]])
    assert np.allclose(_turns.clipped(np.array([[0.7, 0.2, 0.1]]), 1 / 3), 1 / 3)
