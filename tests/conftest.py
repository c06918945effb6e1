"""What every test may use: the folder of real documents, and the same random texts on every run."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent

settings.register_profile("default", deadline=None, derandomize=True)
settings.load_profile("default")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real documents and question sets, which is not shipped with the project."""
    folder = Path(os.environ.get("RAGCHUNK_SHARED_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"The test data is not at {folder}; in CI it must be there.")
        pytest.skip("The test data (../shared/data, or RAGCHUNK_SHARED_DATA) is not on this machine.")
    return folder


@pytest.fixture
def app():
    """The app at its start, through Streamlit's AppTest."""
    from streamlit.testing.v1 import AppTest

    main = sys.modules["__main__"]  # which AppTest replaces by the app: processes started later would run that
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).run()
    assert not test.exception
    yield test
    sys.modules["__main__"] = main
