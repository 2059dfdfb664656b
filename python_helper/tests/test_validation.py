"""The page that says what ran on which PyTorch is made from what ran."""

from __future__ import annotations

from scripts import cuda, cuda_table, matrix, validation


def test_the_page_has_the_results() -> None:
    """The table is not edited by hand, and no run is forgotten."""
    page = cuda_table.PAGE.read_text(encoding="utf-8")
    assert cuda_table.renewed(page, cuda_table.read()) == page


def test_the_page_has_what_the_matrix_gave() -> None:
    """That table is not edited by hand either."""
    page = validation.PAGE.read_text(encoding="utf-8")
    assert validation.renewed(page, validation.read()) == page


def test_each_claim_is_run_or_called_declared() -> None:
    """Every place of the matrix is a claim, and what has no result claims nothing."""
    assert set(matrix.CELLS) <= set(validation.CLAIMS)
    lines = validation.table({}).splitlines()[2:]
    unrun = [line for line in lines if "**declared**, not run" in line]
    assert len(lines) - len(unrun) == sum(map(bool, validation.CLAIMS.values()))


def test_a_failure_of_the_matrix_is_named() -> None:
    """With what passed, and the day."""
    result: validation.Result = {
        "date": "2026-01-02",
        "ran": "jupyterlab 4.3.8",
        "passed": 3,
        "failed": ["should free"],
    }
    text = validation.table({"JupyterLab 4.3": result})
    row = next(line for line in text.splitlines() if "JupyterLab 4.3" in line)
    assert "3 passed; failed: `should free`" in row
    assert "2026-01-02" in row


def test_every_file_of_tests_has_its_row() -> None:
    """A feature that is tested is a feature that the page tells of."""
    files = {file.stem for file in cuda.test_files(()) if file.is_file()}
    files |= {file.stem for file in (cuda.TESTS / "cuda").glob("test_*.py")}
    assert files == set(cuda_table.FEATURES)


def a_run(gpu: str | None = None) -> cuda_table.Run:
    """A run of which one test passed, one was left out and one failed."""
    feature: cuda_table.Feature = {"passed": 1, "left_out": {"two": "why"}, "failed": ["three"]}
    return {
        "date": "2026-01-02",
        "python": "3.11",
        "cuda": "12.1",
        "gpu": gpu,
        "features": {"test_report": feature},
    }


def test_what_did_not_run_is_declared_and_a_failure_is_named() -> None:
    """A version of which nothing is known claims nothing."""
    text = cuda_table.table({"stub": {"2.4.1": a_run()}})
    row = next(line for line in text.splitlines() if line.startswith("| The report"))
    assert row.count("declared") == len(cuda_table.COLUMNS) - 1
    assert row.count("stub, not all") == 1
    assert "`three` failed" in text
    assert "left out, why" in text


def test_a_gpu_says_more_than_the_stub() -> None:
    """Its result stands in the table, with its name; what failed is told of both."""
    text = cuda_table.table({"stub": {"2.4.1": a_run()}, "gpu": {"2.4.1": a_run("T4")}})
    assert text.count("gpu, not all") == 1
    assert "stub" not in text
    assert "| T4 |" in text
    assert "* 2.4.1 on a GPU, " in text
    assert "* 2.4.1, " in text
