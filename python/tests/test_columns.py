"""Files and frames find their columns by one list of names, which the compiled part has."""

import pandas as pd
import polars as pl
import pytest

import crowdwise
from crowdwise._answers import KINDS, answers, truth_pairs
from crowdwise._crowdwise import usual_columns

USUAL = usual_columns()
ROWS = [("x", "a", "yes"), ("x", "b", "yes"), ("x", "c", "no"), ("y", "a", "no"), ("y", "b", "no"), ("z", "c", "yes")]


def answers_as_file(path, columns):
    rows = zip(*columns.values())
    path.write_text("\n".join(",".join(str(v) for v in row) for row in [list(columns), *rows]) + "\n")
    return crowdwise.read(path)


def same_answers(path, columns):
    """The kind of the answers, which must be the same from a file, from a frame and from a dictionary of columns."""
    read = [answers_as_file(path, columns)]
    read += [answers(d, KINDS) for d in (columns, pd.DataFrame(columns), pl.DataFrame(columns))]
    found = {(a.kind, a.n_items, a.n_annotators, a.n_labels, tuple(map(str, a.items))) for a in read}
    assert len(found) == 1, found
    return read[0].kind


def written(name):
    """A usual name as people write it."""
    return [name, name.upper(), f"{name}_id", f"{name} name"]


@pytest.mark.parametrize(
    ("role", "name"), [(r, w) for r in ("item", "annotator", "label") for n in USUAL[r] for w in written(n)]
)
def test_files_and_frames_know_the_same_names(tmp_path, role, name):
    named = {r: name if r == role else r for r in ("item", "annotator", "label")}
    columns = {named[r]: [row[c] for row in ROWS] for c, r in enumerate(named)}
    assert same_answers(tmp_path / "a.csv", columns) == "categorical"


@pytest.mark.parametrize(("left", "right"), list(zip(USUAL["left"], USUAL["right"])) + [("model_a", "model_b"), ("Item 1", "Item 2")])
@pytest.mark.parametrize("outcome", USUAL["winner"] + USUAL["same"][:3])
def test_files_and_frames_know_the_same_pairs(tmp_path, left, right, outcome):
    alike = outcome in USUAL["same"][:3]
    said = ["1", "0", "1"] if alike else ["left", "right", "tie"]
    columns = {left: ["x", "y", "z"], right: ["y", "z", "x"], "judge": ["a", "b", "b"], outcome: said}
    assert same_answers(tmp_path / "a.csv", columns) == ("similarity" if alike else "preference")


@pytest.mark.parametrize("position", USUAL["position"])
@pytest.mark.parametrize("sequence", USUAL["sequence"])
def test_files_and_frames_know_the_same_sequences(tmp_path, sequence, position):
    columns = {f"{sequence}_id": ["s", "s", "t"], position: [0, 1, 0], "user": ["a"] * 3, "tag": ["O", "B-x", "O"]}
    assert same_answers(tmp_path / "a.csv", columns) == "categorical"


@pytest.mark.parametrize("place", USUAL["place"])
@pytest.mark.parametrize("ranking", [n for n in USUAL["ranking"] if n != "task"])
def test_files_and_frames_know_the_same_rankings(tmp_path, ranking, place):
    columns = {ranking: ["r", "r", "q", "q"], "rater_id": ["a", "a", "b", "b"], "item_id": list("xyyx"), place: [1, 2, 1, 2]}
    assert same_answers(tmp_path / "a.csv", columns) == "preference"


def test_an_arena_with_questions():
    battles = pd.DataFrame(
        {"question_id": [1, 2, 3], "model_a": ["g", "g", "l"], "model_b": ["l", "c", "c"], "winner": ["model_a", "tie", "both"]}
    )
    made = answers(battles, KINDS)
    assert (made.kind, made.items, made.annotators) == ("preference", ["g", "l", "c"], ["everybody"])


@pytest.mark.parametrize("name", USUAL["truth"])
def test_known_truth_by_every_name(name):
    gold = pd.DataFrame({"note": ["n", "n"], "task_id": ["x", "y"], name: [0, 1]})
    assert truth_pairs(gold) == [("x", "0"), ("y", "1")]
