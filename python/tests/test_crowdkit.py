"""crowd-kit's names: arguments, attributes, indexes, exceptions. `peers` compares the numbers with crowd-kit's own."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import crowdwise
from crowdwise import crowdkit

ROWS = [
    ("b", "v", "yes"), ("b", "u", "yes"), ("b", "w", "no"),
    ("a", "v", "no"), ("a", "u", "no"), ("a", "w", "no"),
    ("c", "u", "yes"), ("c", "w", "no"),
]  # fmt: skip
EMPTY = pd.DataFrame([], columns=["task", "worker", "label"])
CLASSES = ["MajorityVote", "Wawa", "ZeroBasedSkill", "DawidSkene", "OneCoinDawidSkene", "GLAD", "MACE", "KOS", "MMSR"]


@pytest.fixture
def votes():
    return pd.DataFrame(ROWS, columns=["task", "worker", "label"])


def test_votes_by_hand(votes):
    vote = crowdkit.MajorityVote().fit(votes)
    assert vote.labels_.to_dict() == {"a": "no", "b": "yes", "c": "no"} and vote.labels_.name == "agg_label"
    assert vote.probas_.loc["b"].to_dict() == pytest.approx({"no": 1 / 3, "yes": 2 / 3})
    assert vote.skills_.to_dict() == pytest.approx({"u": 2 / 3, "v": 1.0, "w": 2 / 3}) and vote.skills_.name == "skill"
    skills = pd.Series({"u": 0.2, "v": 0.1, "w": 0.7})
    weighed = crowdkit.MajorityVote().fit_predict_proba(votes, skills)
    assert weighed.loc["b"].to_dict() == pytest.approx({"no": 0.7, "yes": 0.3})
    negative = crowdkit.MajorityVote().fit_predict_proba(votes, skills.where(skills > 0.15, -0.1))
    assert negative.loc["b"].to_dict() == pytest.approx({"no": 0.7 / 0.8, "yes": 0.1 / 0.8})


def test_missing_skills(votes):
    some = pd.Series({"u": 0.9, "v": 0.5})
    with pytest.raises(ValueError, match="3 labels are by workers without a skill"):
        crowdkit.MajorityVote().fit(votes, some)
    ignored = crowdkit.MajorityVote(on_missing_skill="ignore").fit(votes, some)
    assert ignored.labels_["c"] == "yes" and "w" not in ignored.skills_.index
    valued = crowdkit.MajorityVote(5, "value").fit(votes, some)
    assert valued.labels_["b"] == "no"
    with pytest.raises(ValueError, match="tasks have no label"):
        crowdkit.MajorityVote(on_missing_skill="ignore").fit(votes, pd.Series({"v": 1.0}))
    for bad in (crowdkit.MajorityVote(1.0), crowdkit.MajorityVote(on_missing_skill="value"), crowdkit.MajorityVote(None, "x")):
        with pytest.raises(ValueError):
            bad.fit(votes, some)


def test_gold(votes):
    truth = pd.Series(["yes", "no", "maybe"], index=["b", "b", "a"])
    gold = crowdkit.GoldMajorityVote().fit(votes, truth)
    # either answer is right for b, none for a
    assert gold.skills_.to_dict() == {"u": 0.5, "v": 0.5, "w": 0.5}
    assert not hasattr(gold, "labels_")
    assert gold.predict(votes) is gold.labels_ and gold.predict_proba(votes) is gold.probas_
    known = crowdkit.DawidSkene().fit(votes, pd.Series({"c": "yes", "nobody": "no"}))
    assert known.labels_["c"] == "yes" and known.probas_.loc["c", "yes"] == 1


def test_the_start_of_dawid_skene(votes):
    start = crowdkit.DawidSkene(0).fit(votes)
    shares = crowdkit.MajorityVote().fit(votes).probas_
    pd.testing.assert_frame_equal(start.probas_, shares)
    pd.testing.assert_series_equal(start.priors_, shares.mean().rename("prior"))
    # w said no three times, of which 1/3 + 1 + 1/2 by shares; v said yes to b, no to a
    assert start.errors_.loc[("w", "no"), "no"] == 1 and ("w", "yes") not in start.errors_.index
    assert start.errors_.loc[("v", "no"), "no"] == pytest.approx(1 / (1 + 1 / 3))
    index = pd.MultiIndex.from_product([["v"], ["no", "yes"]], names=["worker", "label"])
    more = pd.DataFrame([[1.0, 0.0], [2.0, 0.0]], index=index, columns=["no", "yes"])
    added = crowdkit.DawidSkene(0, initial_error_strategy="addition").fit(votes, initial_error=more)
    assert added.errors_.loc[("v", "no"), "no"] == pytest.approx(2 / (2 + 2 + 1 / 3))
    with pytest.raises(ValueError, match="2 lack rows"):
        crowdkit.DawidSkene(initial_error_strategy="assign").fit(votes, initial_error=more)
    coin = crowdkit.OneCoinDawidSkene(0).fit(votes)
    assert coin.skills_["v"] == pytest.approx((2 / 3 + 1) / 2)


@pytest.mark.parametrize("name", CLASSES)
def test_manners(name, votes):
    made = getattr(crowdkit, name)()
    assert clone(made).get_params() == made.get_params() and repr(made) == f"{name}()"
    with pytest.raises(crowdwise.NotFittedError):
        _ = made.labels_
    assert made.fit_predict(votes) is made.labels_
    assert sorted(made.labels_.index) == ["a", "b", "c"] and made.labels_.index.name == "task"
    for column in votes:
        with pytest.raises(KeyError):
            made.fit_predict(votes.drop(columns=column))


def test_empty_frames():
    for name in ("DawidSkene", "OneCoinDawidSkene", "MajorityVote"):
        fit = getattr(crowdkit, name)().fit(EMPTY)
        assert fit.labels_.empty and fit.probas_.empty, name
    assert crowdkit.KOS().fit_predict(EMPTY).empty
    assert crowdkit.BradleyTerry(1).fit_predict(pd.DataFrame([], columns=["left", "right", "label"])).empty
    assert crowdkit.BinaryRelevance().fit_predict(EMPTY).empty


def test_two_classes_only():
    with pytest.raises(ValueError, match="two classes"):
        crowdkit.KOS().fit(pd.DataFrame({"task": [1, 2, 3], "worker": [1, 1, 1], "label": [0, 1, 2]}))


def test_comparisons():
    rows = [("w", "a", "b", "a"), ("w", "b", "c", "b"), ("w", "c", "a", "c"), ("w", "a", "b", "neither")]
    games = pd.DataFrame(rows, columns=["worker", "left", "right", "label"])
    scores = crowdkit.BradleyTerry(50).fit_predict(games)
    assert scores.dropna().to_dict() == pytest.approx({"a": 1 / 3, "b": 1 / 3, "c": 1 / 3})
    assert list(scores.index) == ["a", "b", "c", "neither"] and scores.name == "agg_score"
    assert crowdkit.BradleyTerry(0).fit_predict(games[:3]).to_dict() == pytest.approx({"a": 1 / 3, "b": 1 / 3, "c": 1 / 3})
    sim = crowdwise.simulate("bradley-terry", items=10, annotators=8, pairs=400, seed=1)
    games = sim.to_pandas()
    fit = crowdkit.NoisyBradleyTerry().fit(games[games["label"] != "tie"].astype(int))
    assert sim.correlation(fit.scores_) > 0.8 and fit.scores_.between(0, 1).all()
    assert fit.skills_.name == "skill" and fit.biases_.name == "bias" and len(fit.skills_) == 8
    assert fit.skills_.between(0, 1).all() and fit.biases_.between(0, 1).all()


def test_sets():
    rows = [("x", "u", ["cat", "dog"]), ("x", "v", ["cat"]), ("x", "w", ["cat", "dog"]), ("y", "u", []), ("y", "v", ["dog"]), ("y", "w", [])]
    data = pd.DataFrame(rows, columns=["task", "worker", "label"])
    fit = crowdkit.BinaryRelevance(crowdkit.DawidSkene(n_iter=10)).fit(data)
    assert fit.labels_.to_dict() == {"x": ["cat", "dog"], "y": []} and list(fit.aggregators_) == ["cat", "dog"]
    assert all(a.n_iter == 10 for a in fit.aggregators_.values())
    with pytest.raises(AssertionError):
        crowdkit.BinaryRelevance(crowdwise.DawidSkene())


def test_everybody_counts_copies_too():
    rows = [(t, w, int(w > 1)) for t in range(9) for w in range(7)]
    data = pd.DataFrame(rows, columns=["task", "worker", "label"])
    assert np.allclose(crowdkit.MajorityVote().fit_predict_proba(data)[1], 5 / 7)
    fit = crowdkit.DawidSkene(5, -np.inf).fit(data)
    assert fit.model_._count_copies and len(fit.loss_history_) == 5


def test_import_does_not_load_it():
    code = "import sys, crowdwise; assert 'pandas' not in sys.modules; crowdwise.crowdkit.DawidSkene"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_own_classes_have_own_defaults():
    data = crowdwise.simulate("dawid-skene", items=100, annotators=9, per_item=4, seed=3).to_pandas()
    for cls, method in (("DawidSkene", "dawid-skene"), ("OneCoin", "one-coin"), ("GLAD", "glad"), ("KOS", "kos")):
        mine, plain = getattr(crowdwise, cls)().fit(data), crowdwise.aggregate(data, method)
        assert mine.probas_.equals(plain.probas_), cls
