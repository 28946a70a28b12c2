"""Add up the runs of the fuzz targets, and put the table into fuzz/README.md.

Example:
    python scripts/fuzz_report.py
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

FUZZ = Path(__file__).parents[1] / "fuzz"
TABLE = re.compile(r"(?<=<!-- runs -->\n).*?(?=<!-- end of runs -->)", re.DOTALL)
HEAD = """\
| Target | Executions | CPU hours | Branches | Found |
|:---|---:|---:|---:|---:|
"""


def read_runs(path: Path) -> list[dict[str, str]]:
    """Return the runs in a file."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def make_table(runs: Sequence[dict[str, str]]) -> str:
    """Return a Markdown table with a row for each target, and their sums.

    Example:
        >>> run = {"target": "load", "executions": "7200", "cpu_seconds": "3600.5"}
        >>> print(make_table([run | {"covered": "12", "branches": "48", "finds": "0"}] * 2), end="")
        | Target | Executions | CPU hours | Branches | Found |
        |:---|---:|---:|---:|---:|
        | load | 14,400 | 2.00 | 25.0% | 0 |
        | all | 14,400 | 2.00 | | 0 |
    """
    targets = sorted({run["target"] for run in runs})
    rows = []
    for target in targets:
        some = [run for run in runs if run["target"] == target]
        shares = [int(run["covered"]) / int(run["branches"]) for run in some if run["branches"]]
        covered = f" {max(shares):.1%} |" if shares else " |"
        rows.append(describe(target, some, covered))
    rows.append(describe("all", runs, " |"))
    return HEAD + "".join(rows)


def describe(name: str, runs: Iterable[dict[str, str]], covered: str) -> str:
    """Return the row of some runs."""
    runs = list(runs)
    executions = sum(int(run["executions"]) for run in runs)
    hours = sum(float(run["cpu_seconds"]) for run in runs) / 3600
    finds = sum(int(run["finds"]) for run in runs)
    return f"| {name} | {executions:,} | {hours:.2f} |{covered} {finds} |\n"


def main() -> None:
    """Write the table."""
    page = FUZZ / "README.md"
    table = make_table(read_runs(FUZZ / "runs.csv"))
    page.write_text(TABLE.sub(lambda _: table, page.read_text()))


if __name__ == "__main__":
    main()
