"""What to ask next, and whom."""

import json
import pickle

import crowdwise
import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="module")
def crowd():
    return crowdwise.simulate("dawid-skene", items=120, annotators=15, per_item=10, accuracy=0.7, seed=3)


def first(data, n):
    """The first labels of every item."""
    return data[data.groupby("task").cumcount() < n]


def pairs(table):
    return {(q["item"], q["annotator"]) for q in table}


def test_questions_about_classes(crowd):
    data = first(crowd.to_pandas(), 3)
    seen = set(zip(data["task"], data["worker"]))
    asked = crowdwise.next_questions(data, 20, seed=1)
    assert len(asked) == 20 and not pairs(asked) & seen and len(pairs(asked)) == 20
    assert {q["reason"] for q in asked} <= {"gain", "coverage", "only-one-left"}
    assert all(q["gain_bits"] >= 0 and 0 < q["p_now"] <= 1 and q["labels"] == 3 for q in asked)
    assert sum(asked.items.values()) == 120 and asked.accuracy["low"] <= asked.accuracy["high"]
    assert pairs(crowdwise.next_questions(data, 20, seed=1)) == pairs(asked)
    # in another order of rows
    assert pairs(crowdwise.next_questions(data.sample(frac=1, random_state=1), 20, strategy="fewest")) != set()
    some = crowdwise.next_questions(data, 5, annotators=[int(data["worker"].iloc[0])], items=data["task"].unique()[:40])
    assert {q["annotator"] for q in some} == {data["worker"].iloc[0]} and {q["item"] for q in some} <= set(data["task"].unique()[:40])
    out = pairs(asked)
    again = crowdwise.next_questions(data, 20, pending=list(out), seed=1)
    assert not pairs(again) & out
    new = crowdwise.next_questions(data, 10, annotators=["newcomer"], items=["unseen"])
    assert pairs(new) == {("unseen", "newcomer")} and new[0]["label_now"] is None


def test_slips_are_told(crowd):
    data = crowd.to_pandas()
    with pytest.raises(crowdwise.CrowdwiseError, match="gian") as e:
        crowdwise.next_questions(data, 3, strategy="gian")
    assert "gain" in str(e.value.hint)
    with pytest.raises(crowdwise.ParameterError, match="tempo"):
        crowdwise.next_questions(data, 3, tempo=3)
    asker = crowdwise.Asker(data)
    with pytest.raises(crowdwise.DataError, match="no class"):
        asker.tell(data["task"].iloc[0], 99, "another")
    with pytest.raises(crowdwise.DataError, match="truth"):
        crowdwise.replay(data, {})


def test_numbers_and_comparisons():
    s = crowdwise.simulate("real", items=40, annotators=12, per_item=4, seed=2).to_pandas()
    asked = crowdwise.next_questions(s, 15, kind="real", strategy="gain", prices={s["worker"].iloc[0]: 50.0})
    assert len(asked) == 15 and all(q["sd_after"] < q["sd"] for q in asked)
    assert not pairs(asked) & set(zip(s["task"], s["worker"]))
    games = crowdwise.simulate("bradley-terry", items=15, annotators=6, seed=2).to_pandas()
    asked = crowdwise.next_questions(games, 8)
    assert len(asked) == 8 and asked.columns[:3] == ["left", "right", "annotator"]
    assert all(q["left"] != q["right"] and 0 <= q["left_better"] <= 1 for q in asked)
    with pytest.raises(crowdwise.ParameterError, match="classes only"):
        crowdwise.next_questions(games, 8, money=3.0)


def test_an_asker_through_its_life(crowd):
    data = crowd.to_pandas()
    begun = first(data, 2)
    answer = {(t, w): c for t, w, c in zip(data["task"], data["worker"], data["label"])}
    asker = crowdwise.Asker(begun, max_per_item=6, seed=4)
    n = asker.n_labels
    batch = asker.ask(10, now=100.0)
    assert asker.n_out == 10 and not pairs(asker.ask(10, now=101.0)) & pairs(batch)
    q = batch[0]
    label = answer.get((q["item"], q["annotator"]), asker.classes[0])
    assert asker.tell(q["item"], q["annotator"], label, lease=q["lease"], now=130.0) == "new"
    assert asker.tell(q["item"], q["annotator"], label, lease=q["lease"], now=131.0) == "again"
    assert asker.n_labels == n + 1 and asker.n_out == 19
    assert asker.skip(batch[1]["item"], batch[1]["annotator"]) and asker.n_out == 18
    kept = crowdwise.Asker.restored(json.loads(json.dumps(asker.state())))
    copied = pickle.loads(pickle.dumps(asker))
    assert pairs(kept.ask(7, now=140.0)) == pairs(copied.ask(7, now=140.0)) == pairs(crowdwise.Asker.restored(asker.state()).ask(7, now=140.0))
    assert kept.expire(now=1e6) and kept.n_out == 0 and asker.n_out == 18
    over = asker.expire(now=1e6)
    assert len(over) == 18 and asker.n_out == 0
    assert asker.tell(*over[0], asker.classes[1], now=1e6) == "late"
    # somebody who arrives
    mine = asker.ask(3, "newcomer", now=1e6)
    assert {q["annotator"] for q in mine} == {"newcomer"} and "newcomer" in asker.annotators
    assert set(asker.labels()) == set(begun["task"]) and asker.probas().shape == (120, 3)
    assert np.allclose(asker.probas().sum(axis=1), 1)


def test_a_replay_says_what_would_have_been_saved(crowd):
    data = crowd.to_pandas()
    found = crowdwise.replay(data, crowd.truth, strategies=["gain", "random"], orderings=3, seed=1)
    rows = {r["strategy"]: r for r in found}
    assert list(rows) == ["fewest", "gain", "random"] and rows["fewest"]["ratio"] == 1
    assert rows["gain"]["ratio"] < 1 and rows["gain"]["area_diff"] > 0
    assert len(found.curves["gain"]) == 201 and 50 < found.final_accuracy <= 100


class Centroids:
    """The nearest mean: a classifier of a few lines."""

    def fit(self, x, y, sample_weight):
        self.classes_ = np.unique(y)
        self.means = np.stack([np.average(x[y == c], axis=0, weights=sample_weight[y == c]) for c in self.classes_])
        return self

    def predict_proba(self, x):
        d = ((x[:, None] - self.means) ** 2).sum(axis=2) / 2
        p = np.exp(d.min(axis=1, keepdims=True) - d)
        return p / p.sum(axis=1, keepdims=True)


def test_a_loop_with_any_learner():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 200)
    x = rng.normal(size=(200, 4)) + 1.5 * np.eye(4)[truth]
    features = {f"i{n}": row for n, row in enumerate(x)}
    skill = dict(zip("abcdef", [0.9, 0.85, 0.8, 0.6, 0.4, 0.34]))

    def said(item, who):
        t = truth[int(item[1:])]
        return int(t if rng.random() < skill[who] else rng.integers(0, 3))

    start = [(f"i{n}", w, said(f"i{n}", w)) for n in range(30) for w in rng.choice(list(skill), 2, replace=False)]
    loop = crowdwise.ActiveLoop(Centroids(), features, start, annotators=list(skill), seed=1)
    for _ in range(6):
        for q in loop.ask(40, now=0.0):
            loop.tell(q["item"], q["annotator"], said(q["item"], q["annotator"]), now=1.0)
    loop.fit()
    assert loop.asker.n_labels == 300 and loop.asker.n_out == 0
    right = np.mean([loop.labels()[f"i{n}"] == truth[n] for n in range(200)])
    alone = np.mean(np.array(loop.predict(x)) == truth)
    assert right > 0.8 and alone > 0.6, (right, alone)
    with pytest.raises(crowdwise.DataError, match="features"):
        loop.tell("unknown", "a", 1)


def test_plan(crowd):
    data = crowd.to_pandas().sample(frac=1, random_state=0)
    pilot = first(data, 3)
    plan = crowdwise.plan(pilot, target=0.9, per_item=[6, 9], best=0.5, price=0.1, other_price=0.3, seed=1)
    rows = [r for r in plan if r["strategy"] == "fewest"]
    assert [r["labels"] for r in rows] == [0, 360, 720] and rows[1]["money"] == pytest.approx(36)
    assert all(r["low"] <= r["accuracy"] <= r["high"] for r in plan)
    # more labels are no worse, and what came true lies within
    assert rows[0]["accuracy"] <= rows[2]["accuracy"] + 0.005
    made = crowdwise.PooledDawidSkene().fit(first(data, 9)).labels_
    right = np.mean([made[i] == t for i, t in crowd.truth.items()])
    assert rows[2]["low"] <= right <= rows[2]["high"]
    other = [r for r in plan if r["strategy"] == "fewest: best 50 %"]
    assert other[1]["money"] == pytest.approx(0.3 * other[1]["labels"])
    assert set(plan.targets) == {"fewest", "fewest: best 50 %"} and plan.can_tell and plan.pilot["labels"] == 360
    # known truth of some items narrows the range
    known = dict(list(crowd.truth.items())[:50])
    told = crowdwise.plan(pilot, per_item=[6], gold=known, seed=1)
    assert told[1]["high"] - told[1]["low"] < rows[1]["high"] - rows[1]["low"]
    with pytest.raises(crowdwise.CrowdwiseError, match="price"):
        crowdwise.plan(pilot, price=-1)
    with pytest.raises(crowdwise.CrowdwiseError, match="nobody"):
        crowdwise.plan(pilot, only=["nobody"])
