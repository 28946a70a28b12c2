"""After the runs: verdicts, tables and the figure."""

import doctest
import gzip
import importlib
import json
import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from language_model.comparison import compare, decide
from language_model.recorded import Results, read_results
from language_model.report import write_report

ROOT = Path(__file__).parents[2]
STORED = ROOT / "experiments/language_model/results"


@pytest.mark.parametrize("name", ["comparison", "flops", "schedule"])
def test_examples_in_docstrings(name: str) -> None:
    module = importlib.import_module(f"language_model.{name}")
    found = doctest.testmod(module)
    assert found.attempted and not found.failed


def write_results(folder: Path, factors: dict[str, float], seeds: int = 3) -> None:
    """Write invented results: bits per byte of arms are multiples of those of the first."""
    chance = random.Random(0)
    (folder / "runs").mkdir(parents=True)
    sizes = [chance.randrange(10, 3000) for _ in range(80)]
    lines = ["bytes,group", *(f"{size},{chance.choice('ab')}" for size in sizes)]
    (folder / "documents.csv.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    arms: dict[str, Any] = {
        arm: {
            "superwords": 5,
            "evaluation": {"bytes": sum(sizes), "tokens": sum(sizes) // 4},
            "matches": "second" if arm == "control" else None,
        }
        for arm in factors
    }
    (folder / "arms.json").write_text(json.dumps(arms))
    for arm, factor in factors.items():
        for seed in range(seeds):
            bits = [
                size * factor * chance.uniform(0.98, 1.02) * (1 + seed / 1000) for size in sizes
            ]
            outcome: dict[str, Any] = {
                **{"steps": 10, "tokens": 100, "bytes": 400, "flops": 1e6, "seconds": 1.0},
                **{"final_loss": 3.0, "bits_per_byte": sum(bits) / sum(sizes)},
            }
            run: dict[str, Any] = {
                **{"series": "main", "arm": arm, "seed": seed, "rates": [0.1, 0.2]},
                **{"is_trial": False, "vocab_size": 100, "context": 64},
                "size": {"name": "main", "width": 64, "layers": 2, "flops": 1e6},
                "budgets": {"flops": outcome, **({} if arm == "first" else {"bytes": outcome})},
            }
            columns = list(run["budgets"])
            rows = [",".join(columns), *(",".join([f"{bit:.0f}"] * len(columns)) for bit in bits)]
            path = folder / "runs" / f"{arm}_{seed}"
            path.with_suffix(".json").write_text(json.dumps(run))
            path.with_suffix(".csv.gz").write_bytes(gzip.compress("\n".join(rows).encode()))


@pytest.mark.parametrize(
    ("factor", "verdict"), [(0.97, "better"), (1.03, "worse"), (0.998, "no clear difference")]
)
def test_each_verdict_can_be_reached(tmp_path: Path, factor: float, verdict: str) -> None:
    write_results(tmp_path, {"first": 1.2, "second": 1.2 * factor})
    found = compare(read_results(tmp_path), "main", "second", "flops")
    assert found.verdict == verdict
    assert found.relative == pytest.approx(factor - 1, abs=0.004)
    assert found.interval[0] < 1.2 * found.relative < found.interval[1]


def test_fewer_seeds_than_planned_give_no_verdict(tmp_path: Path) -> None:
    write_results(tmp_path, {"first": 1.2, "second": 1.0}, seeds=2)
    assert compare(read_results(tmp_path), "main", "second", "flops").verdict == "too few seeds"


@pytest.mark.parametrize(
    ("values", "relative", "interval"),
    [
        ([1.17, 1.18, 1.195], -0.02, (-0.03, -0.01)),
        ([1.17, 1.18, 1.18], -0.02, (-0.03, 0.01)),
        ([1.18, 1.18, 1.18], -0.004, (-0.006, -0.002)),
    ],
    ids=["seeds overlap", "interval has 0", "too small"],
)
def test_each_condition_decides(
    values: list[float], relative: float, interval: tuple[float, float]
) -> None:
    assert decide(values, [1.19, 1.2, 1.2], relative, interval) == "no clear difference"


def test_a_report_has_all_tables(tmp_path: Path) -> None:
    write_results(tmp_path, {"first": 1.2, "second": 1.15, "control": 1.19})
    write_report(tmp_path)
    report = (tmp_path / "report.md").read_text()
    titles = [line for line in report.splitlines() if line.startswith("## ")]
    assert titles == [
        "## main, in short",
        "## main, equal FLOPs",
        "## main, equal bytes",
        "## main, cost of serving",
    ]
    assert "| second against control |" in report
    rows = (tmp_path / "runs.csv").read_text().splitlines()
    assert len(rows) == 1 + 3 + 6 + 6
    assert "<svg" in (tmp_path / "bits_per_byte.svg").read_text()
    before = report, (tmp_path / "bits_per_byte.svg").read_bytes()
    write_report(tmp_path)
    assert before == (
        (tmp_path / "report.md").read_text(),
        (tmp_path / "bits_per_byte.svg").read_bytes(),
    )


def test_series_that_compare_arms_follow_the_order_of_arms_and_widths() -> None:
    planned = [
        ("late", 64, ["c", "d"]),
        ("wide", 128, ["a", "b"]),
        ("alone", 64, ["a"]),
        ("narrow", 64, ["a", "b"]),
    ]
    runs = [
        {"series": name, "arm": arm, "is_trial": False, "size": {"width": width}}
        for name, width, arms in planned
        for arm in arms
    ]
    runs += [{**run, "series": "trial", "is_trial": True} for run in runs]
    results = Results(dict.fromkeys("abcd", {}), runs, [], np.array([]), [])
    assert results.series() == ["narrow", "wide", "late"]


def test_the_stored_report_is_that_of_the_stored_results(tmp_path: Path) -> None:
    shutil.copytree(STORED, tmp_path / "results")
    write_report(tmp_path / "results")
    for name in ["report.md", "runs.csv"]:
        assert (tmp_path / "results" / name).read_text() == (STORED / name).read_text()


def test_the_page_quotes_the_stored_results() -> None:
    page = (ROOT / "docs/language-models.md").read_text()
    report = (STORED / "report.md").read_text()
    summary = [line for line in report.partition("equal FLOPs\n")[0].splitlines() if "|" in line]
    assert len(summary) >= 7
    assert [line for line in page.splitlines() if line.startswith("|")] == summary
    results = read_results(STORED)
    bits = {arm: results.document_bits("main", arm, "flops") for arm in ("BPE", "BoundlessBPE")}
    for group, words in [
        ("English prose", "{:.1f}% more bits there"),
        ("source code", "{:.1f}% fewer on source code"),
        ("science and mathematics", "{:.1f}% fewer on science"),
        ("other languages", "{:.1f}% fewer in other languages"),
    ]:
        chosen = results.groups()[group]
        share = bits["BoundlessBPE"][chosen].sum() / bits["BPE"][chosen].sum() - 1
        assert words.format(100 * abs(share)) in " ".join(page.split())
        assert (share > 0) == ("more" in words)
    arms = ("BoundlessBPE", "SuperBPE", "BPE, larger")
    for budget, main, larger in [
        ("flops", ["-0.7", "-0.8", "+5.6"], ["-0.7", "-1.1", "+4.0"]),
        ("bytes", ["+0.1", "+1.1", "+2.2"], ["-0.1", "+0.7", "+1.7"]),
    ]:
        for series, said in [("main", main), ("larger", larger)]:
            found = [compare(results, series, arm, budget) for arm in arms]
            assert [f"{100 * one.relative:+.1f}" for one in found] == said
    large = [compare(results, "131k", "BoundlessBPE 131k", budget) for budget in ("flops", "bytes")]
    assert [one.verdict for one in large] == ["no clear difference", "worse"]
    more = [f"{100 * one.relative:.1f}% more" for one in large]
    assert f"{more[0]} bits for the same compute" in page and f"{more[1]} for the same text" in page
    assert "two sizes learn 0.7% better" in (ROOT / "README.md").read_text()
    assert "0.7 to\n1.1% fewer bits" in (ROOT / "docs/which-one.md").read_text()
