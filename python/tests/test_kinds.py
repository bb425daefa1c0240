"""Every kind of answers: classes, real values, comparisons, similarities, tokens of sequences; links and features beside them."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import crowdwise
from crowdwise._answers import KINDS, answers

TOKENS = [
    ("s1", 0, "ann", "B"),
    ("s1", 0, "bob", "B"),
    ("s1", 1, "ann", "I"),
    ("s1", 3, "bob", "O"),
    ("s2", 5, "ann", "O"),
    ("s2", 5, "bob", "B"),
    ("s2", 5, "eve", "O"),
]
TOKEN_NAMES = ["sentence", "position", "worker", "label"]
SAME = [("x", "y", "ann", True), ("x", "y", "bob", False), ("y", "z", "ann", False), ("x", "z", "bob", True)]


def of_kind(kind):
    """Data of a kind, with the truth."""
    if kind == "real":
        return crowdwise.simulate("real", items=60, annotators=10, per_item=6, seed=1).to_pandas()
    if kind == "preference":
        return crowdwise.simulate("bradley-terry", items=12, annotators=6, pairs=200, seed=1).to_pandas()
    if kind == "similarity":
        return crowdwise.simulate("similarities", items=20, annotators=8, classes=3, pairs=150, per_item=3, seed=1).to_pandas()
    return crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=6, seed=1).to_pandas()


LISTED = [
    (row["method"], kind)
    for row in crowdwise.methods()
    if not row["features"] and not row["structure"] and row["method"] != "crowdlab"
    for kind in row["labels"].split(", ")
    if kind != "categorical"
]


@pytest.mark.parametrize(("method", "kind"), LISTED)
def test_every_method_of_the_list_for_other_kinds(method, kind):
    """A method that is new in the list works here without another line of Python."""
    data = of_kind(kind)
    fit = crowdwise.aggregate(data, method)
    labels = fit.labels_
    assert isinstance(labels, pd.Series) and len(labels) and labels.index.is_unique
    items = len({*data["left"], *data["right"]}) if "left" in data else data["task"].nunique()
    units = len(data[["left", "right"]].drop_duplicates()) if "left" in data else items
    assert len(labels) in (items, units)
    assert len(fit.annotators_) == data["worker"].nunique()
    again = pickle.loads(pickle.dumps(fit))
    pd.testing.assert_series_equal(again.labels_, labels)
    assert "<html" in crowdwise.report(fit)


def of_class(name):
    """The class of a method, if it is there."""
    return getattr(crowdwise, name, None) or pytest.skip(f"{name} is not in the list")


@pytest.mark.parametrize("name", ["BayesSeq", "DsHmm", "SeqMm"])
def test_methods_for_sequences(name):
    sim = crowdwise.simulate("sequences", items=600, annotators=8, per_item=5, seed=1)
    fit = of_class(name)().fit(sim.to_pandas())
    assert fit.labels_.index.names == ["sequence", "position"] and len(fit.labels_) == 600
    assert sim.accuracy(fit.labels_) >= sim.accuracy(crowdwise.MajorityVote().fit_predict(sim.to_pandas())) - 0.02
    with pytest.raises(crowdwise.CrowdwiseError):
        of_class(name)().fit(crowdwise.simulate("dawid-skene", items=30, seed=1).answers)


def test_a_method_for_graphs():
    sim = crowdwise.simulate("dawid-skene", items=200, annotators=8, per_item=3, accuracy=0.6, seed=1)
    links = [(i, j) for i in range(200) for j in range(i) if sim.truth[i] == sim.truth[j] and (i * 7 + j) % 40 == 0]
    fit = of_class("DsMrf")().fit(sim.to_pandas(), edges=links)
    assert sim.accuracy(fit.labels_) > sim.accuracy(crowdwise.DawidSkene().fit_predict(sim.to_pandas()))


def test_clusters():
    sim = crowdwise.simulate("similarities", items=30, annotators=8, classes=3, pairs=300, per_item=3, accuracy=0.9, seed=1)
    fit = of_class("CrowdClusters")().fit(sim.to_pandas())
    assert fit.labels_.name == "agg_cluster" and set(fit.clusters_) == {"cluster", "confidence"}
    truth = sim.truth_array()
    same = fit.same_
    assert same.index.names == ["left", "right"] and same.between(0, 1).all()
    right = [(same[(a, b)] > 0.5) == (truth[a] == truth[b]) for a, b in same.index]
    assert np.mean(right) > 0.9
    assert fit.probas_ is None and fit.result_.evaluate(sim.truth)


def test_sets_of_labels():
    rows = [("x", "ann", "cat|dog"), ("x", "bob", "cat"), ("x", "eve", "cat|dog"), ("y", "ann", "|"), ("y", "bob", "dog"), ("y", "eve", "|")]
    frame = pd.DataFrame(rows, columns=["task", "worker", "label"])
    fit = of_class("BinaryRelevance")(inside="majority-vote").fit(frame, sets=True)
    assert fit.labels_.index.names == ["task", "class"]
    assert fit.labels_.to_dict() == {("x", "cat"): "yes", ("x", "dog"): "yes", ("y", "cat"): "no", ("y", "dog"): "no"}


def test_real_values():
    sim = crowdwise.simulate("real", items=80, annotators=10, per_item=6, seed=1)
    for frame in (sim.to_pandas(), sim.to_polars(), sim.answers):
        fit = crowdwise.Mean().fit(frame)
        assert sim.correlation(fit.labels_) > 0.9 and fit.probas_ is None
    assert list(crowdwise.Mean().fit(sim.to_pandas()).values_) == ["value", "sd"]
    with pytest.raises(crowdwise.DataError, match="2 labels are not finite numbers: row 0: `a`, row 2: `b`"):
        crowdwise.Mean().fit([("x", "ann", "a"), ("x", "bob", "1.5"), ("y", "bob", "b")])


def test_comparisons():
    rows = [("x", "y", "ann", "x"), ("x", "y", "bob", "left"), ("y", "z", "ann", "tie"), ("z", "x", "bob", "x")]
    frame = pd.DataFrame(rows, columns=["left", "right", "worker", "label"])
    fit = crowdwise.BradleyTerry(ridge=0.1).fit(frame)
    assert fit.labels_.idxmax() == "x" and list(fit.ranking_)[:4] == ["score", "low", "high", "component"]
    assert answers(pa.table(frame), KINDS).kind == "preference"
    with pytest.raises(crowdwise.DataError, match="2 rows have no winner: row 0: the winner `q` is neither `x` nor `y`"):
        crowdwise.BradleyTerry().fit([("x", "y", "q"), ("x", "y", "x"), ("y", "x", "r")])
    with pytest.raises(crowdwise.DataError, match="1 rows compare an item with itself: row 1: `x`"):
        crowdwise.BradleyTerry().fit([("x", "y", "x"), ("x", "x", "x")])


ORDERS = [("ann", ["a", "b", "c", "d"]), ("bob", ["b", "a", "d", "c"]), ("eve", ["a", "c", "b", "d"]), ("ann", ["c", "a"])]


def places():
    rows = [(n, who, item, at + 1) for n, (who, order) in enumerate(ORDERS) for at, item in enumerate(order)]
    return {c: [r[k] for r in rows] for k, c in enumerate(("ranking", "worker", "item", "position"))}


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_rankings_in_every_form_are_the_same(make, tmp_path):
    file = tmp_path / "ballots.csv"
    file.write_text("annotator,ranking\n" + "".join(f"{who},{' > '.join(order)}\n" for who, order in ORDERS))
    want = crowdwise.PlackettLuce().fit(file).labels_
    lists = make({"worker": [w for w, _ in ORDERS], "ranking": [o for _, o in ORDERS]})
    texts = make({"worker": [w for w, _ in ORDERS], "ranking": [" > ".join(o) for _, o in ORDERS]})
    for data in (make(places()), lists, texts, ORDERS):
        fit = crowdwise.PlackettLuce().fit(data)
        assert fit._answers._data.is_rankings
        assert (fit._answers.kind, fit._answers.n_labels) == ("preference", 19)
        found = dict(zip(fit._answers.items, fit._fit.scores()[0]))
        assert found == pytest.approx(want, abs=1e-9) and sorted(found) == list("abcd")
        assert sorted(fit._answers.annotators) == ["ann", "bob", "eve"]
    assert crowdwise.inspect(lists)["rankings"]["count"] == 4
    again = pickle.loads(pickle.dumps(answers(lists, KINDS)))
    assert again._data.is_rankings
    if make is pd.DataFrame:
        assert isinstance(fit.labels_, dict) and isinstance(crowdwise.PlackettLuce().fit_predict(lists), pd.Series)


def test_the_best_of_a_set():
    shown = ["a", "b", "c"]
    rows = [("ann", "a", shown), ("bob", "b", shown), ("eve", "a", shown), ("eve", "c", ["c", "d"])]
    whole = crowdwise.PlackettLuce().fit(rows)
    frame = pd.DataFrame(rows, columns=["worker", "choice", "shown"])
    text = frame.assign(shown=frame["shown"].map("|".join))
    behind = [(n, w, i, 1 if i == best else None) for n, (w, best, s) in enumerate(rows) for i in s]
    place = pd.DataFrame(behind, columns=["ranking", "worker", "item", "position"])
    for data in (frame, text, place):
        fit = crowdwise.PlackettLuce().fit(data)
        assert fit.labels_.to_dict() == pytest.approx(whole.labels_, abs=1e-9)
    assert whole._answers.n_labels == 7 and max(whole.labels_, key=whole.labels_.get) == "a"
    # ids keep their type
    numbers = crowdwise.PlackettLuce().fit_predict([("ann", [3, 1, 2]), ("bob", [3, 2, 1])])
    assert set(numbers) == {1, 2, 3} and max(numbers, key=numbers.get) == 3


@pytest.mark.parametrize("order, shown", [("a > b", ["a", "b", "c"]), (["a", "b"], "a;b;c"), ("a > b", "a|b|c")])
def test_orders_and_what_was_shown_in_mixed_forms(order, shown):
    made = answers([("ann", order, shown)] if isinstance(shown, list) else {"worker": ["ann"], "order": [order], "shown": [shown]}, KINDS)
    assert made._data.is_rankings and sorted(made.items) == ["a", "b", "c"] and made.n_labels == 3


def test_numbers_ranked_among_numbers_in_a_text():
    made = answers({"worker": ["ann", "bob"], "order": [[3, 1], None], "shown": ["1|2|3", None]}, KINDS)
    assert sorted(made.items) == [1, 2, 3]


@pytest.mark.parametrize(
    "columns, kind",
    [
        ({"model_a": ["x"], "model_b": ["y"], "winner": ["x"], "judge": ["j"], "set": ["test"]}, "preference"),
        ({"item1": ["x"], "item2": ["y"], "worker": ["j"], "winner": ["x"], "order": ["1"]}, "preference"),
        ({"task": ["x", "y"], "worker": ["j", "k"], "label": ["p", "q"], "set": ["test"] * 2, "order": ["1", "2"]}, "categorical"),
        ({"question": ["x", "y"], "worker": ["j", "k"], "answer": ["p", "q"], "options": ["p|q"] * 2, "best": ["p", "q"]}, "categorical"),
    ],
)
def test_comparisons_and_labels_are_not_taken_for_rankings(columns, kind):
    made = answers(pd.DataFrame(columns), KINDS)
    assert made.kind == kind and not made._data.is_rankings


def test_bad_rankings():
    def refused(data, match):
        with pytest.raises(crowdwise.DataError, match=match):
            crowdwise.PlackettLuce().fit(data)

    bad = pd.DataFrame(places())
    bad.loc[1, "position"] = 3
    refused(bad, "position 3 of ranking `0` by `ann` is taken twice, first on row 1")
    refused(pd.DataFrame(places()).drop(index=0), "nobody is at position 1 of ranking `0` by `ann`")
    refused(pd.DataFrame(places()).assign(position="first"), "are not whole numbers: row 0: `first`")
    refused([("ann", ["a", "b", "a"])], "`a` is in the ranking by `ann` twice")
    refused([("ann", ["a"])], "row 0: a ranking of one item")
    refused([("ann", "q", ["a", "b"])], "row 0: `q` was chosen but is not among those shown")
    refused(pd.DataFrame({"worker": ["ann"], "ranking": ["a = b > c"]}), "a tie before the last place")
    refused(pd.DataFrame({"ranking": [["a", "b"]]}), "no column for the annotator")


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, lambda d: pa.table(pd.DataFrame(d))])
def test_similarities(make):
    columns = ("left", "right", "worker", "same")
    frame = make({c: [r[n] for r in SAME] for n, c in enumerate(columns)})
    made = answers(frame, KINDS)
    assert (made.kind, made.n_items, made.n_annotators, made.n_labels) == ("similarity", 3, 2, 4)
    assert made.items == ["x", "y", "z"] and made._data.n_units == 3
    assert crowdwise.inspect(frame)["kind"] == "similarity"
    again = pickle.loads(pickle.dumps(made))
    assert again.kind == "similarity" and again._data.codes()[2].tolist() == made._data.codes()[2].tolist()
    units = made._units(3)
    assert list(zip(made._flavour.to_list(units["left"]), made._flavour.to_list(units["right"]))) == [("x", "y"), ("y", "z"), ("x", "z")]
    assert made._flavour.to_list(made._classes_of(2, 3)) == [False, True]
    assert made._flavour.to_list(made._classes_of(4, 2)) == [0, 1, 2, 3]


def test_words_of_similarity():
    rows = [("x", "y", "ann", w) for w in ("yes", "No", "SAME", "different", 1, 0, "true", "f")]
    made = answers(pd.DataFrame(rows, columns=["left", "right", "worker", "similar"]), KINDS)
    assert made._data.codes()[2].tolist() == [1, 0, 1, 0, 1, 0, 1, 0]
    with pytest.raises(crowdwise.DataError, match="1 labels are neither yes nor no: row 0: `perhaps`"):
        answers([("x", "y", "ann", "perhaps")], ("similarity",))
    with pytest.raises(crowdwise.CrowdwiseError):
        crowdwise.DawidSkene().fit(pd.DataFrame(SAME, columns=["left", "right", "worker", "same"]), kind="similarity")


@pytest.mark.parametrize("flavour", ["pandas", "polars", "pyarrow", "python"])
def test_tokens_of_sequences(flavour, tmp_path):
    frame = pd.DataFrame(TOKENS, columns=TOKEN_NAMES)
    data = {"pandas": frame, "polars": pl.from_pandas(frame), "pyarrow": pa.table(frame), "python": frame.to_dict("list")}[flavour]
    fit = crowdwise.MajorityVote().fit(data)
    made = fit._answers
    assert made._data.is_sequences and made.notes == ["1 tokens inside sequences in no row"]
    # the gap at position 2 is a token, too
    tokens = [("s1", 0), ("s1", 1), ("s1", 2), ("s1", 3), ("s2", 5)]
    assert made.items == tokens
    want = {("s1", 0): "B", ("s1", 1): "I", ("s1", 3): "O", ("s2", 5): "O"}
    if flavour == "pandas":
        assert fit.labels_.index.names == ["sentence", "position"] and fit.labels_.index.tolist() == tokens
        assert {t: fit.labels_[t] for t in want} == want
        assert fit.probas_.loc[("s2", 5), "O"] == pytest.approx(2 / 3)
    elif flavour == "python":
        assert {t: fit.labels_[t] for t in want} == want
    else:
        names = fit.labels_.columns if flavour == "polars" else fit.labels_.column_names
        assert list(names) == ["sentence", "position", "agg_label"]
        rows = fit.labels_.rows() if flavour == "polars" else [tuple(r.values()) for r in fit.labels_.to_pylist()]
        assert {(s, p): v for s, p, v in rows if (s, p) in want} == want
    assert fit.result_.evaluate({t: v for t, v in want.items()})["accuracy"] == 1.0
    fit.save(tmp_path / "kept")
    again = crowdwise.load(tmp_path / "kept")
    assert again._answers.items == tokens and again._answers._data.is_sequences
    assert pickle.loads(pickle.dumps(fit))._answers.items == tokens


def test_tokens_in_a_file_and_known_ones(tmp_path):
    frame = pd.DataFrame(TOKENS, columns=["sequence", "position", "worker", "label"])
    frame.to_csv(tmp_path / "tokens.csv", index=False)
    read = crowdwise.read(tmp_path / "tokens.csv")
    assert read.items == answers(frame, KINDS).items
    for gold in ({("s2", 5): "B"}, pd.Series(["B"], index=pd.MultiIndex.from_tuples([("s2", 5)]))):
        fit = crowdwise.DawidSkene().fit(frame, gold=gold)
        assert fit.labels_[("s2", 5)] == "B"
    known = pd.DataFrame({"sequence": ["s2"], "position": [5], "label": ["B"]})
    assert crowdwise.DawidSkene().fit(frame, gold=known).labels_[("s2", 5)] == "B"
    with pytest.raises(crowdwise.DataError, match="1 positions are not whole numbers: row 0: `first`"):
        crowdwise.MajorityVote().fit(frame.assign(position=["first"] + [1] * 6))
    with pytest.raises(crowdwise.DataError, match="positions but only 7 rows"):
        crowdwise.MajorityVote().fit(frame.assign(position=[0, 10**6] + [1] * 5))
    with pytest.raises(crowdwise.DataError, match="cannot be joined"):
        crowdwise.DawidSkene().fit(frame).partial_fit(frame)


def test_simulated_sequences():
    sim = crowdwise.simulate("sequences", items=300, annotators=8, per_item=5, seed=1)
    for data in (sim.to_pandas(), sim.to_polars(), sim.answers):
        labels = crowdwise.DawidSkene().fit_predict(data)
        assert sim.accuracy(labels) > 0.5
    assert len(sim.truth) == 300 and all(len(t) == 2 for t in sim.truth)


def test_links_and_features_beside_the_answers():
    data = [("x", "ann", 1), ("x", "bob", 1), ("y", "ann", 0), ("z", "bob", 1)]
    fit = crowdwise.DawidSkene()
    made = answers(data, KINDS)._with_edges([("x", "y"), ("y", "x"), ("y", "nobody")])
    assert made.notes == ["1 edges of items without answers left out"]
    assert pickle.loads(pickle.dumps(made)).notes == made.notes
    with pytest.raises(crowdwise.DataError, match="none of the 1 edges"):
        answers(data, KINDS)._with_edges(pd.DataFrame({"a": ["q"], "b": ["r"]}))
    rows = {"z": [3.0], "x": [1.0], "y": [2.0]}
    for features in (rows, pd.DataFrame.from_dict(rows, orient="index"), [[1.0], [2.0], [3.0]]):
        assert answers(data, KINDS)._with_features(features)._data.n_items == 3
    with pytest.raises(crowdwise.DataError, match="1 items have no features, the first is 'z'"):
        answers(data, KINDS)._with_features({"x": [1.0], "y": [2.0]})
    with pytest.raises(crowdwise.DataError, match="shape"):
        answers(data, KINDS)._with_features([[1.0]])
    assert len(crowdwise.MajorityVote().fit(data, edges=[("x", "y")], features=rows).labels_) == 3
    assert not hasattr(fit, "_fit")
