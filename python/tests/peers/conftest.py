import os
import warnings
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parents[3]

#: The shared sets: two classes, four, eight; dense and sparse.
SETS = ("bluebird", "rte", "temp", "dog", "face", "labelme")


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.fixture(scope="session")
def shared():
    folder = Path(os.environ.get("CROWDWISE_DATA", ROOT.parent / "shared/data"))
    if not folder.is_dir():
        pytest.skip(f"SKIPPED: no real data in {folder}; set CROWDWISE_DATA")

    def read(name):
        frame = pd.read_csv(folder / name / "answers.csv").rename(columns={"item": "task"})
        # crowd-kit counts a repeated label once in some places and twice in others
        return frame.drop_duplicates(["task", "worker"], keep="last").reset_index(drop=True)

    read.folder = folder
    return read
