"""Writing what `superword reproduce` found: figures, tables, claims, the report."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from superword.atomic_files import write_atomically
from superword.evaluation.ablation import COLUMNS, Row, ablation_rows, markdown, written
from superword.evaluation.claims import Checked, check_claims
from superword.evaluation.figures import FIGURES
from superword.evaluation.report import Part, report
from superword.evaluation.results import Results
from superword.evaluation.settings import Settings
from superword.evaluation.style import figure_bytes

__all__ = ["write_outputs"]


def write_outputs(results: Results, settings: Settings) -> list[Checked]:
    """Write everything to the folder, and give the claims as they were checked.

    `figures` has each figure as SVG and PNG and its numbers as CSV and JSON, `tables` the tables
    as CSV, JSON and Markdown; `claims.json` and `results.json` are for scripts, and `report.html`
    is all of it on one page.
    """
    folder = settings.out
    parts = []
    for figure in FIGURES:
        drawn = figure.draw(results)
        if not drawn.rows:
            continue
        svg = figure_bytes(drawn.figure, "svg")
        stem = folder / "figures" / f"figure-{figure.number}-{figure.name}"
        write(stem.with_suffix(".svg"), svg)
        write(stem.with_suffix(".png"), figure_bytes(drawn.figure, "png"))
        write_rows(stem, drawn.columns, drawn.rows)
        parts.append(Part(figure, svg, drawn.figure.get_figwidth()))
    tables = {}
    outer = sorted({results.sizes[0], results.sizes[-1]})
    for number, sizes in ((1, outer), (3, results.sizes[1:-1])):
        if rows := ablation_rows(results, sizes):
            tables[number] = rows
            stem = folder / "tables" / f"table-{number}-ablation"
            write_rows(stem, Row._fields, rows)
            shown = markdown(COLUMNS, [written(row) for row in rows], texts=3)
            write(stem.with_suffix(".md"), shown.encode())
    claims = check_claims(results)
    write(folder / "claims.json", plain(claims_as_json(claims)))
    everything = [
        {"key": key, "size": size, **each.as_json()}
        for (key, size), each in results.measured.items()
    ]
    write(folder / "results.json", plain(everything))
    page = report(results, settings, parts, tables, claims)
    write(folder / "report.html", page.encode())
    return claims


def claims_as_json(claims: Iterable[Checked]) -> list[dict[str, Any]]:
    """Claims as plain values."""
    return [
        {
            "claim": claim.key,
            "statement": claim.statement,
            "test": claim.test,
            "holds": verdict.holds,
            "cases": [{"is_so": is_so, "found": found} for is_so, found in verdict.cases],
        }
        for claim, verdict in claims
    ]


def write_rows(stem: Path, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Write a table as CSV and as JSON."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    write(stem.with_suffix(".csv"), text.getvalue().encode())
    named = [dict(zip(columns, row, strict=True)) for row in rows]
    write(stem.with_suffix(".json"), plain(named))


def plain(value: Any) -> bytes:
    """Plain values as JSON."""
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


def write(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all; its folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with write_atomically() as files:
        files.open(path).write(content)
