import os
from pathlib import Path

import pytest

import crowdwise

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def sim():
    return crowdwise.simulate("dawid-skene", items=200, annotators=12, per_item=6, classes=3, accuracy=0.7, seed=3)


@pytest.fixture(scope="session")
def shared_data():
    """Real sets; tests that need them say loudly when they are not there."""
    folder = Path(os.environ.get("CROWDWISE_DATA", ROOT.parent / "shared/data"))
    if not folder.is_dir():
        pytest.skip(f"SKIPPED: no real data in {folder}; set CROWDWISE_DATA")
    return folder
