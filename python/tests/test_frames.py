"""Ids and labels come back with the types that they came with, in the flavour in which they came."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import crowdwise
from crowdwise import DawidSkene, MajorityVote

ROWS = [("x", "a", 1), ("x", "b", 1), ("x", "c", 0), ("y", "a", 0), ("y", "b", 0), ("z", "c", 1)]
EXPECTED = {"x": 1, "y": 0, "z": 1}


def frame(**columns):
    made = pd.DataFrame(ROWS, columns=["task", "worker", "label"])
    for name, f in columns.items():
        made[name] = f(made[name])
    return made


def test_rows():
    assert MajorityVote().fit_predict(ROWS) == EXPECTED
    assert MajorityVote().fit_predict(np.array(ROWS, dtype=object)) == EXPECTED
    columns = {"task": [r[0] for r in ROWS], "worker": [r[1] for r in ROWS], "label": [r[2] for r in ROWS]}
    assert MajorityVote().fit_predict(columns) == EXPECTED
    structured = np.array(ROWS, dtype=[("task", "U4"), ("worker", "U4"), ("label", "i8")])
    found = MajorityVote().fit_predict(structured)
    assert found == EXPECTED and {type(v) for v in found.values()} == {int}


def test_pandas():
    labels = MajorityVote().fit_predict(frame())
    assert labels.to_dict() == EXPECTED
    assert labels.dtype == np.int64 and labels.name == "agg_label" and labels.index.name == "task"
    probas = MajorityVote().fit_predict_proba(frame())
    assert probas.loc["x", 1] == pytest.approx(2 / 3) and list(probas.columns) == [0, 1]
    assert probas.columns.name == "label"


@pytest.mark.parametrize(
    ("convert", "kind"),
    [
        (lambda s: s.astype(bool), bool),
        (lambda s: s.map({0: "no", 1: "yes"}), str),
        (lambda s: s.map({0: "no", 1: "yes"}).astype("category"), str),
        (lambda s: s.map({0: "no", 1: "yes"}).astype("string"), str),
        (lambda s: s.astype("Int64"), int),
        (lambda s: s.astype(np.int8), int),
        (lambda s: s.astype(float), float),
    ],
)
def test_label_types_survive(convert, kind):
    data = frame(label=convert)
    labels = DawidSkene().fit_predict(data)
    assert labels.dtype == data["label"].dtype
    assert labels["x"] == data["label"][0] and labels["y"] == data["label"][3]
    assert isinstance(labels.tolist()[0], kind)
    assert list(DawidSkene().fit(data).probas_.columns) == sorted(data["label"].unique())


@pytest.mark.parametrize("convert", [lambda s: s.astype("category"), lambda s: s.map({"x": 7, "y": 3, "z": 12})])
def test_id_types_survive(convert):
    data = frame(task=convert)
    labels = MajorityVote().fit_predict(data)
    assert labels.index.dtype == data["task"].dtype
    assert labels.index.tolist() == data["task"].drop_duplicates().tolist()
    dates = frame(task=lambda s: pd.to_datetime(s.map({"x": "2020-01-01", "y": "2021-01-01", "z": "2022-01-01"})))
    assert MajorityVote().fit_predict(dates).index.dtype == dates["task"].dtype


def test_order_of_classes_and_of_rows_of_any_index():
    data = frame().set_index(pd.Index([5, 5, 5, 1, 0, 9]))
    assert MajorityVote().fit_predict(data).to_dict() == EXPECTED
    ten = pd.DataFrame({"task": range(12), "worker": "w", "label": range(12)})
    assert MajorityVote().fit(ten).classes_ == list(range(12))


def test_polars():
    data = pl.DataFrame(ROWS, schema=["task", "worker", "label"], orient="row")
    found = MajorityVote().fit(data)
    assert isinstance(found.labels_, pl.DataFrame) and found.labels_.columns == ["task", "agg_label"]
    assert dict(found.labels_.iter_rows()) == EXPECTED and found.labels_["agg_label"].dtype == pl.Int64
    assert found.probas_.columns == ["task", "0", "1"]
    assert isinstance(found.annotators_, pl.DataFrame) and found.annotators_.height == 3
    lazy = MajorityVote().fit_predict(data.lazy())
    assert dict(lazy.iter_rows()) == EXPECTED
    worded = data.with_columns(pl.col("label").cast(pl.String).cast(pl.Categorical), pl.col("task").cast(pl.Categorical))
    again = MajorityVote().fit_predict(worded)
    assert again["agg_label"].dtype == pl.Categorical and again["task"].dtype == pl.Categorical
    assert DawidSkene().fit(data).confusion_.height == 6


def test_arrow_and_duckdb():
    duckdb = pytest.importorskip("duckdb")
    votes = pa.table({"task": [r[0] for r in ROWS], "worker": [r[1] for r in ROWS], "label": [r[2] for r in ROWS]})
    found = MajorityVote().fit_predict(votes)
    assert isinstance(found, pa.Table)
    assert dict(zip(found["task"].to_pylist(), found["agg_label"].to_pylist())) == EXPECTED
    coded = votes.set_column(0, "task", votes["task"].dictionary_encode())
    assert MajorityVote().fit_predict(coded)["task"].to_pylist() == ["x", "y", "z"]
    several = pa.concat_tables([votes.slice(0, 2), votes.slice(2, 3), votes.slice(5)])
    assert MajorityVote().fit_predict(several).equals(found)
    relation = duckdb.sql("select * from votes")
    back = MajorityVote().fit_predict(relation)
    assert dict(zip(back["task"].to_pylist(), back["agg_label"].to_pylist())) == EXPECTED


def test_flavours_agree(sim):
    pandas, polars = sim.to_pandas(), sim.to_polars()
    results = [
        DawidSkene().fit(sim.answers).probas_,
        DawidSkene().fit(pandas).probas_.to_dict("index"),
        {r["task"]: {int(k): v for k, v in r.items() if k != "task"} for r in DawidSkene().fit(polars).probas_.to_dicts()},
        {r["task"]: {int(k): v for k, v in r.items() if k != "task"} for r in DawidSkene().fit(polars.to_arrow()).probas_.to_pylist()},
    ]
    assert all(r == results[0] for r in results[1:])
    words = pandas.assign(task="t" + pandas["task"].astype(str), worker="w" + pandas["worker"].astype(str))
    assert DawidSkene().fit(words).probas_.to_numpy().tolist() == DawidSkene().fit(pandas).probas_.to_numpy().tolist()


def test_columns_by_other_names():
    data = frame().rename(columns={"task": "picture", "worker": "who", "label": "said"})
    with pytest.raises(crowdwise.DataError) as e:
        MajorityVote().fit(data)
    assert e.value.code == "missing-column" and "picture" in str(e.value)
    found = MajorityVote().fit(data, item="picture", annotator="who", label="said")
    assert found.labels_.to_dict() == EXPECTED and found.labels_.index.name == "picture"
    with pytest.raises(crowdwise.DataError, match="did you mean `picture`"):
        MajorityVote().fit(data, item="pictures", annotator="who", label="said")
    assert MajorityVote().fit_predict(data.rename(columns={"picture": "item", "who": "rater", "said": "answer"})).to_dict() == EXPECTED


def test_missing_values():
    data = frame(label=lambda s: s.where(s.index != 2))
    found = MajorityVote().fit(data)
    assert found.probas_.loc["x", 1.0] == 1.0
    assert found.result_._answers.notes == ["1 answer without a label left out"]
    with pytest.raises(ValueError, match="no annotator"):
        MajorityVote().fit(frame(worker=lambda s: s.where(s.index != 2)))
    nobody = MajorityVote().fit([("x", "a", 1), ("y", "a", None), ("z", "b", 0)])
    assert nobody.probas_["y"] == {0: 0.5, 1: 0.5}


def test_what_is_no_table():
    for bad in (17, "nofile.csv", [("x", "a")], [1, 2, 3], np.zeros((3, 5))):
        with pytest.raises(crowdwise.CrowdwiseError):
            MajorityVote().fit(bad)
    with pytest.raises(crowdwise.DataError) as e:
        MajorityVote().fit(pd.DataFrame({"task": [], "worker": [], "label": []}))
    assert e.value.code == "no-data"


def test_files(root):
    found = MajorityVote().fit(root / "examples/demo.csv")
    assert len(found.labels_) == 200
    read = crowdwise.read(root / "examples/demo.csv")
    assert read.n_items == 200 and read.kind == "categorical"
    assert MajorityVote().fit_predict(read) == found.labels_


def test_gold_in_every_form():
    wrong = {"x": 0}
    for gold in (wrong, pd.Series(wrong), [("x", 0)], pl.DataFrame({"task": ["x"], "label": [0]})):
        assert DawidSkene().fit_predict(frame(), gold=gold)["x"] == 0
    new = DawidSkene().fit(frame(), gold={"x": 5, "y": 0})
    assert new.classes_ == [0, 1, 5] and new.labels_["x"] == 5
    with pytest.raises(crowdwise.DataError):
        DawidSkene().fit(frame(), gold={"nobody": 0})


def test_real_values_and_comparisons():
    numbers = pd.DataFrame({"task": list("xxyy"), "worker": list("abab"), "label": [1.0, 2.0, 5.0, 7.0]})
    found = crowdwise.Mean().fit(numbers)
    assert found.labels_.to_dict() == {"x": 1.5, "y": 6.0} and found.probas_ is None
    assert list(found.values_.columns) == ["value", "sd"]
    assert crowdwise.aggregate(numbers.assign(label=numbers["label"] + 0.5), "crh").values_ is not None
    pairs = pd.DataFrame({"left": [1, 1, 2, 3], "right": [2, 3, 3, 1], "label": [1, 1, 2, 3]})
    scores = crowdwise.BradleyTerry().fit_predict(pairs)
    assert scores.sum() == pytest.approx(0) and scores.index.dtype == np.int64
    ranking = crowdwise.aggregate(pairs, "bradley-terry").ranking_
    assert ranking["score"].idxmax() == 1 and (ranking["low"] < ranking["high"]).all()
    with pytest.raises(ValueError, match="neither"):
        crowdwise.BradleyTerry().fit(pairs.assign(label=[1, 1, 2, 9]))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.Table.from_pandas])
def test_more_rows_than_are_kept_together(make):
    """Columns are numbered in blocks of rows, each as narrow as it may be: every width, with missing labels, in any order."""
    rng = np.random.default_rng(3)
    n = 200_000
    frame = pd.DataFrame(
        {
            "task": rng.integers(0, 90_000, n).astype(str).astype(object),
            "worker": [f"w{j}" for j in rng.integers(0, 700, n)],
            "label": rng.choice(np.array(["a", "b", "c", None], dtype=object), n, p=[0.5, 0.3, 0.15, 0.05]),
        }
    )
    fit = crowdwise.MajorityVote().fit(make(frame))
    made = fit._answers
    assert made.n_labels == frame["label"].notna().sum() and made.n_items == frame["task"].nunique()
    assert made.notes == [f"{frame['label'].isna().sum()} answers without a label left out"]
    assert made.items == frame["task"].drop_duplicates().tolist()
    assert made.annotators == frame["worker"].drop_duplicates().tolist()
    votes = frame.groupby(["task", "label"]).size().unstack(fill_value=0)
    shares = votes.div(votes.sum(axis=1), axis=0)
    found = pd.DataFrame(fit._fit.posterior(), index=made.items, columns=made.classes)
    np.testing.assert_allclose(found.loc[shares.index, shares.columns], shares, atol=1e-12)
    best = dict(zip(made.items, (made.classes[c] for c in fit._fit.best())))
    assert all(votes.loc[i, best[i]] == votes.loc[i].max() for i in shares.index[:500])
