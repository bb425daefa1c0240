"""compare, inspect, report, simulate, agreement."""

import math

import numpy as np
import pandas as pd
import pytest

import crowdwise


def test_compare(sim):
    data = sim.to_pandas()
    found = crowdwise.compare(data, ["majority-vote", crowdwise.DawidSkene(alpha=0.5)], truth=sim.truth, folds=2)
    assert found.column("method") == ["majority-vote", "dawid-skene"]
    assert found.document["methods"][1]["params"]["alpha"] == 0.5
    accuracy = found.to_pandas()["accuracy"]
    assert accuracy[1] == pytest.approx(sim.accuracy(crowdwise.DawidSkene(alpha=0.5).fit_predict(data)), abs=0.02)
    assert "held_out_log_loss" in repr(found) and "<table>" in found._repr_html_()
    assert len(crowdwise.compare(sim.answers, folds=0)) == 9
    numbers = [("x", "a", 1.5), ("x", "b", 2.5), ("y", "a", 3.25), ("y", "b", 3.0)]
    assert "mean" in crowdwise.compare(numbers, folds=0).column("method")


def test_inspect_and_agreement(sim):
    found = crowdwise.inspect(sim.answers)
    assert found["items"] == 200 or found["n_items"] == 200
    agreement = crowdwise.agreement(sim.to_pandas(), bootstraps=50)
    low, high = agreement["alpha_interval"]
    assert low < agreement["krippendorff_alpha"] < high
    assert {agreement["pairs"][0]["a"], agreement["pairs"][0]["b"]} <= set(range(12))


def test_agreement_of_textbook_data():
    # Krippendorff's example of nominal data, 4 observers, 12 units: alpha = 0.743
    rows = {
        "A": "1 2 3 3 2 1 4 1 2 . . .",
        "B": "1 2 3 3 2 2 4 1 2 5 . 3",
        "C": ". 3 3 3 2 3 4 2 2 5 1 .",
        "D": "1 2 3 3 2 4 4 1 2 5 1 .",
    }
    data = [(u, who, v) for who, line in rows.items() for u, v in enumerate(line.split()) if v != "."]
    assert crowdwise.krippendorff_alpha(data) == pytest.approx(0.743, abs=0.0005)
    # Cohen 1960 style: 50 items, 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: kappa = 0.4
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    data = [(i, w, v) for i, p in enumerate(pairs) for w, v in zip("AB", p)]
    assert crowdwise.cohen_kappa(data) == pytest.approx(0.4)
    # two raters: Fleiss' chance agreement is that of the pooled shares (55 yes, 45 no of 100)
    chance = 0.55**2 + 0.45**2
    assert crowdwise.fleiss_kappa(data) == pytest.approx((0.7 - chance) / (1 - chance))
    gwet = 2 * 0.55 * 0.45
    assert crowdwise.gwet_ac1(data) == pytest.approx((0.7 - gwet) / (1 - gwet))
    assert math.isnan(crowdwise.krippendorff_alpha([("x", "a", 1), ("y", "a", 2)]))


def test_report(sim, tmp_path):
    fit = crowdwise.DawidSkene().fit(sim.answers)
    page = crowdwise.report(fit, path=tmp_path / "report.html", truth=sim.truth, title="Made up")
    assert page == (tmp_path / "report.html").read_text(encoding="utf-8") and "Made up" in page
    assert "<html" in crowdwise.report(sim.answers, "majority-vote")


def test_items(sim):
    rows = crowdwise.DawidSkene().fit(sim.to_pandas()).result_.items(top=5)
    assert len(rows) == 5 and all(len(r["votes"]) == 6 for r in rows)
    assert all(r["label"] in (0, 1, 2) and r["item"] in range(200) for r in rows)
    with pytest.raises(ValueError):
        crowdwise.DawidSkene().fit(sim.answers).result_.items(by="colour")


def test_simulate():
    sim = crowdwise.simulate("dawid-skene", items=50, annotators=6, per_item=3, features=4, seed=9)
    again = crowdwise.simulate("dawid-skene", items=50, annotators=6, per_item=3, features=4, seed=9)
    assert sim.features.shape == (50, 4) and (sim.features == again.features).all()
    assert (sim.to_pandas() == again.to_pandas()).all(axis=None)
    matrix = sim.matrix()
    assert matrix.shape == (50, 6) and ((matrix >= 0).sum(axis=1) == 3).all()
    assert sim.accuracy(pd.Series(sim.truth)) == 1.0 and sim.accuracy({}) == 0.0
    assert isinstance(sim.annotators[0], dict)
    assert crowdwise.simulate("sequences", items=100, seed=1).chains is not None
    pairs = crowdwise.simulate("bradley-terry", items=10, pairs=200, seed=1)
    assert pairs.correlation(crowdwise.aggregate(pairs.answers, "bradley-terry").labels_) > 0.8
    for bad in ({"items": 0}, {"nonsense": 1}, {"items": "many"}):
        with pytest.raises(ValueError):
            crowdwise.simulate("dawid-skene", **bad)
    with pytest.raises(ValueError):
        crowdwise.simulate("no-such-model")


def test_tables():
    table = crowdwise.Table([{"a": 1, "b": 0.5}, {"a": 2, "b": None}])
    assert table.columns == ["a", "b"] and len(table[:1]) == 1 and table[1]["a"] == 2
    assert table.to_polars().shape == (2, 2) and table.to_pandas()["a"].tolist() == [1, 2]
    assert "0.5000" in repr(table)
    assert np.isnan(table.to_pandas()["b"][1])


def test_alpha_at_every_level():
    """Krippendorff's example: 4 observers, 12 units; published as 0.743, 0.815, 0.849 and 0.797."""
    table = ["1 2 3 3 2 1 4 1 2 * * *", "1 2 3 3 2 2 4 1 2 5 * 3", "* 3 3 3 2 3 4 2 2 5 1 *", "1 2 3 3 2 4 4 1 2 5 1 *"]
    rows = [(u, j, int(x)) for j, row in enumerate(table) for u, x in enumerate(row.split()) if x != "*"]
    wanted = {"nominal": 0.743421, "ordinal": 0.815388, "interval": 0.849107, "ratio": 0.797403}
    for level, alpha in wanted.items():
        assert crowdwise.krippendorff_alpha(rows, level=level) == pytest.approx(alpha, abs=1e-6)
    whole = crowdwise.agreement(rows, level="ratio", bootstraps=100)
    low, high = whole["alpha_interval"]
    assert whole["level"] == "ratio" and low < wanted["ratio"] < high and whole["units"] == 11
    assert whole["alpha_nominal"] == pytest.approx(wanted["nominal"], abs=1e-6)
    real = [(u, j, x + 0.5) for u, j, x in rows]
    assert crowdwise.krippendorff_alpha(real, level="ratio", kind="real") < wanted["interval"]
    with pytest.raises(crowdwise.CrowdwiseError, match="there is no level `best`"):
        crowdwise.agreement(rows, level="best")
    with pytest.raises(crowdwise.CrowdwiseError, match="is of numbers, but `a` is none"):
        crowdwise.agreement([("x", 1, "a"), ("x", 2, "b")], level="ratio")
    with pytest.raises(crowdwise.CrowdwiseError, match="true zero, but the least label is -2"):
        crowdwise.agreement([(u, j, -x if x == 2 else x) for u, j, x in rows], level="ratio")
    with pytest.raises(crowdwise.CrowdwiseError, match="nominal alpha is of classes"):
        crowdwise.agreement(real, level="nominal", kind="real")
