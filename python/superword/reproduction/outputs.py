"""Write the output of `superword reproduce`: figures, tables, claims and the report."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from superword.atomic_files import write_atomically
from superword.evaluation import render_figure
from superword.reproduction.citations import build_bibliography
from superword.reproduction.claims import check_capped_claims, check_claims
from superword.reproduction.figures import FIGURES
from superword.reproduction.report import RenderedFigure, build_report
from superword.reproduction.results import Results
from superword.reproduction.settings import ReproductionSettings
from superword.reproduction.tables import ReportTable, build_tables
from superword.reproduction.verdicts import Case, CheckedClaim
from superword.tables import Column, Table, format_csv, format_latex, format_markdown

__all__ = ["CheckedClaims", "write_outputs"]


class CheckedClaims(NamedTuple):
    """The verdicts on the paper's models, and by label on models with a cap on superwords."""

    claims: list[CheckedClaim]
    capped: dict[str, list[CheckedClaim]]

    def as_json(self) -> list[dict[str, Any]]:
        """Return the verdicts on the paper's models as JSON values."""
        return list(map(claim_as_json, self.claims))

    def capped_as_json(self) -> list[dict[str, Any]]:
        """Return the verdicts on models with a cap as JSON values."""
        return [
            {"tokenizer": label, **claim_as_json(checked)}
            for label, claims in self.capped.items()
            for checked in claims
        ]


def write_outputs(results: Results, settings: ReproductionSettings) -> CheckedClaims:
    """Write everything to the output folder, and return the checked claims.

    `figures` has each figure as SVG, PNG and PDF with its numbers as CSV and JSON. `tables` has the
    tables as CSV, JSON, Markdown and LaTeX. `claims.json`, `capped-claims.json` and `results.json`
    are for scripts, `citations.bib` for BibTeX, and `report.html` shows everything on one page.
    """
    folder = settings.out
    rendered = []
    for figure in FIGURES:
        drawn = figure.draw(results)
        if not drawn.rows:
            continue
        forms = {form: render_figure(drawn.figure, form) for form in ("svg", "png", "pdf")}
        stem = folder / "figures" / f"figure-{figure.number}-{figure.name}"
        for form, content in forms.items():
            write_file(stem.with_suffix(f".{form}"), content)
        write_rows(stem, drawn.columns, drawn.rows)
        rendered.append(RenderedFigure(figure, forms["svg"], drawn.figure.get_figwidth()))
    tables = build_tables(results)
    for table in tables:
        write_table(folder / "tables" / table.name, table)
    checked = CheckedClaims(check_claims(results), check_capped_claims(results))
    write_json(folder / "claims.json", checked.as_json())
    write_json(folder / "capped-claims.json", checked.capped_as_json())
    shown = build_claim_table(checked.claims)
    alignment = r"p{0.7\linewidth}l"
    write_file(folder / "tables" / "claims.md", format_markdown(shown).encode())
    write_file(folder / "tables" / "claims.tex", format_latex(shown, alignment).encode())
    everything = [
        {"key": key, "size": size, **each.as_json()}
        for (key, size), each in results.measured.items()
    ]
    everything += [{"key": each.name, **each.as_json()} for each in results.others]
    write_json(folder / "results.json", everything)
    write_file(folder / "citations.bib", build_bibliography(results).encode())
    report = build_report(results, settings, rendered, tables, *checked)
    write_file(folder / "report.html", report.encode())
    return checked


def build_claim_table(claims: Iterable[CheckedClaim]) -> Table:
    """Build a table of the claims and their verdicts."""
    rows = [[claim.statement, verdict.outcome] for claim, verdict in claims]
    return Table([Column("claim", False), Column("verdict", False)], rows)


def claim_as_json(checked: CheckedClaim) -> dict[str, Any]:
    """Convert a claim to a JSON value."""
    claim, verdict = checked
    return {
        "claim": claim.key,
        "statement": claim.statement,
        "test": claim.test.condition,
        "weaker_test": claim.weaker_test.condition,
        "verdict": verdict.outcome,
        "cases": list_cases(verdict.cases),
        "weaker_cases": list_cases(verdict.weaker_cases),
    }


def list_cases(cases: Iterable[Case]) -> list[dict[str, Any]]:
    """Convert cases to JSON values."""
    return [{"is_so": is_so, "found": found} for is_so, found in cases]


def write_table(stem: Path, table: ReportTable) -> None:
    """Write a table as CSV, JSON, Markdown and LaTeX."""
    write_rows(stem, table.columns, table.rows)
    write_file(stem.with_suffix(".md"), format_markdown(table.shown).encode())
    write_file(stem.with_suffix(".tex"), format_latex(table.shown).encode())


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
