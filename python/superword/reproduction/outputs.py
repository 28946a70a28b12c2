"""Write the output of `superword reproduce`: figures, tables, claims and the report."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from superword.atomic_files import write_atomically
from superword.evaluation import render_figure
from superword.reproduction.claims import CheckedClaim, check_claims
from superword.reproduction.figures import FIGURES
from superword.reproduction.report import RenderedFigure, build_report
from superword.reproduction.results import Results
from superword.reproduction.settings import ReproductionSettings
from superword.reproduction.tables import (
    COLUMNS,
    AblationRow,
    build_ablation,
    format_row,
)
from superword.tables import Column, Table, format_csv, format_markdown

__all__ = ["write_outputs"]


def write_outputs(results: Results, settings: ReproductionSettings) -> list[CheckedClaim]:
    """Write everything to the output folder, and return the checked claims.

    `figures` has each figure as SVG and PNG with its numbers as CSV and JSON. `tables` has the
    tables as CSV, JSON and Markdown. `claims.json` and `results.json` are for scripts, and
    `report.html` shows everything on one page.
    """
    folder = settings.out
    rendered = []
    for figure in FIGURES:
        drawn = figure.draw(results)
        if not drawn.rows:
            continue
        svg = render_figure(drawn.figure, "svg")
        stem = folder / "figures" / f"figure-{figure.number}-{figure.name}"
        write_file(stem.with_suffix(".svg"), svg)
        write_file(stem.with_suffix(".png"), render_figure(drawn.figure, "png"))
        write_rows(stem, drawn.columns, drawn.rows)
        rendered.append(RenderedFigure(figure, svg, drawn.figure.get_figwidth()))
    tables = {}
    outer = sorted({results.sizes[0], results.sizes[-1]})
    for number, sizes in ((1, outer), (3, results.sizes[1:-1])):
        if rows := build_ablation(results, sizes):
            tables[number] = rows
            stem = folder / "tables" / f"table-{number}-ablation"
            write_rows(stem, AblationRow._fields, rows)
            columns = [Column(name, is_number=at > 2) for at, name in enumerate(COLUMNS)]
            markdown = format_markdown(Table(columns, list(map(format_row, rows))))
            write_file(stem.with_suffix(".md"), markdown.encode())
    claims = check_claims(results)
    write_json(folder / "claims.json", claims_as_json(claims))
    everything = [
        {"key": key, "size": size, **each.as_json()}
        for (key, size), each in results.measured.items()
    ]
    write_json(folder / "results.json", everything)
    report = build_report(results, settings, rendered, tables, claims)
    write_file(folder / "report.html", report.encode())
    return claims


def claims_as_json(claims: Iterable[CheckedClaim]) -> list[dict[str, Any]]:
    """Convert claims to JSON values."""
    return [
        {
            "claim": claim.key,
            "statement": claim.statement,
            "test": claim.test,
            "verdict": verdict.outcome,
            "cases": [{"is_so": is_so, "found": found} for is_so, found in verdict.cases],
            "figures": [{"is_reached": is_so, "found": found} for is_so, found in verdict.figures],
        }
        for claim, verdict in claims
    ]


def write_rows(stem: Path, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Write a table as CSV and as JSON."""
    write_file(stem.with_suffix(".csv"), format_csv(columns, rows).encode())
    write_json(stem.with_suffix(".json"), [dict(zip(columns, row, strict=True)) for row in rows])


def write_json(path: Path, value: Any) -> None:
    """Write a value as JSON."""
    write_file(path, (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode())


def write_file(path: Path, content: bytes) -> None:
    """Write a file atomically, and create its folder if needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with write_atomically() as files:
        files.open(path).write(content)
