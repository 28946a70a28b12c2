"""Build the report: one HTML page with all results, the paper's values beside ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.metadata import version
from typing import NamedTuple

from superword.evaluation import (
    METRICS,
    Measurement,
    TableColumn,
    build_page,
    build_table,
    describe_script_losses,
    group_sources,
    inline_svg,
    list_scripts,
    most_bytes,
    script_rate,
)
from superword.reproduction.citations import PAPER
from superword.reproduction.figures import PaperFigure
from superword.reproduction.lineup import BASELINE_LABELS
from superword.reproduction.report_claims import build_claims
from superword.reproduction.results import BOUNDLESS_4O, Results
from superword.reproduction.settings import ReproductionSettings, format_toml
from superword.reproduction.tables import ReportTable
from superword.reproduction.verdicts import CheckedClaim

__all__ = ["RenderedFigure", "build_report"]

TITLE = "Boundless Byte Pair Encoding, reproduced"
# With more sources than this, the table by source is left out; settings can group them.
MAX_SOURCES = 15


class RenderedFigure(NamedTuple):
    """A figure as SVG, and its width in inches."""

    figure: PaperFigure
    svg: bytes
    width: float


def build_report(
    results: Results,
    settings: ReproductionSettings,
    figures: Sequence[RenderedFigure],
    tables: Sequence[ReportTable],
    claims: Sequence[CheckedClaim],
    capped_claims: Mapping[str, Sequence[CheckedClaim]],
) -> str:
    """Build the report as HTML."""
    body = [
        build_lead(results),
        build_cards(results, claims),
        build_navigation(),
        "<h2 id='claims'>The paper's claims, checked</h2>",
        build_claims(claims, capped_claims),
        "<h2 id='sentence'>One sentence</h2>",
        build_sentence(results),
        "<h2 id='figures'>The figures</h2>",
        *map(build_figure, figures),
        "<h2 id='tables'>The tables</h2>",
        *(show_table(table) for table in tables if table.name != "tokenizers"),
        "<h2 id='more'>All measurements</h2>",
        build_metric_section(results),
        build_source_section(results, settings),
        build_script_section(results),
        "<h2 id='how'>How it was made</h2>",
        build_methods(results, settings),
    ]
    return build_page(TITLE, "\n".join(part for part in body if part))


def build_lead(results: Results) -> str:
    """Introduce the report."""
    unseen = results.measured[BOUNDLESS_4O, results.sizes[-1]]
    return (
        "<p class='lead'>Most tokenizers cannot merge across the boundary between words. "
        "BoundlessBPE can: two neighbouring whole words can become one <em>superword</em>, such as "
        "<code>␣of␣the</code>. This page reproduces the experiments of "
        "<a href='https://arxiv.org/abs/2504.00178'>Schmidt et al. (COLM 2025)</a> with superword, "
        f"on {unseen.documents:,} unseen documents of {unseen.bytes / 1e6:,.1f} MB. Every figure "
        "and table has the paper's values beside ours.</p>"
    )


def build_cards(results: Results, claims: Sequence[CheckedClaim]) -> str:
    """Show the headline numbers."""
    size = results.sizes[-1]
    ours = results.measured[BOUNDLESS_4O, size]
    outcomes = Counter(each.verdict.outcome for each in claims)
    judged = len(claims) - outcomes["not run"]
    count = outcomes["holds in a weaker form"]
    weaker = f", {count} more in a weaker form" if count else ""
    shown = [
        (f"{outcomes['holds']} of {judged}", f"claims of the paper hold on this corpus{weaker}")
    ]
    if "bpe" in results.lineup:
        bpe = results.measured["bpe", size]
        counterpart = results.measured[results.counterpart("bpe"), size]
        rate = counterpart.bytes_per_token / bpe.bytes_per_token - 1
        efficiency = counterpart.renyi_efficiency() / bpe.renyi_efficiency() - 1
        shown += [
            (f"{rate:+.1%}", f"bytes per token against BPE, vocabulary {size:,}"),
            (f"{efficiency:+.1%}", "Rényi efficiency against BPE"),
        ]
    shown.append((f"{ours.kinds['superword']:.1%}", "of BoundlessBPE's tokens are superwords"))
    boxes = (f"<div class='card'><b>{big}</b><span>{small}</span></div>" for big, small in shown)
    return f"<div class='cards'>{''.join(boxes)}</div>"


def build_navigation() -> str:
    """Link to the sections."""
    sections = {
        "claims": "Claims",
        "sentence": "One sentence",
        "figures": "Figures",
        "tables": "Tables",
        "more": "All measurements",
        "how": "How it was made",
    }
    links = (f"<a href='#{section}'>{name}</a>" for section, name in sections.items())
    return f"<nav>{''.join(links)}</nav>"


def build_sentence(results: Results) -> str:
    """Show the sentence as each tokenizer splits it, in colors."""
    text, by_label = results.sentence
    rows = []
    for label, tokens in by_label.items():
        spans = "".join(f"<span class='piece'>{escape(token)}</span>" for token in tokens)
        count = f"<td class='number'>{len(tokens)}</td>"
        rows.append(f"<tr><td>{escape(label)}</td>{count}<td>{spans}</td></tr>")
    return (
        f"<p>“{escape(text)}” with vocabularies of {results.sizes[-1]:,} tokens.</p>"
        "<div class='wide'><table><tr><th>tokenizer</th><th class='number'>tokens</th>"
        f"<th></th></tr>{''.join(rows)}</table></div>"
    )


def build_figure(rendered: RenderedFigure) -> str:
    """Show a figure with its caption."""
    figure = rendered.figure
    return (
        f"<figure id='figure-{figure.number}' style='max-width: {rendered.width * 6.5:.0f}rem'>"
        f"{inline_svg(rendered.svg)}"
        f"<figcaption><b>Figure {figure.number}.</b> {escape(figure.caption)}</figcaption></figure>"
    )


def show_table(table: ReportTable) -> str:
    """Show a table with its caption."""
    columns = [
        TableColumn(column.name, column.is_number, is_paper=column.name == "paper")
        for column in table.shown.columns
    ]
    rows = [[str(cell) for cell in row] for row in table.shown.rows]
    shown = build_table(columns, rows, table.groups)
    return f"<h3>{escape(table.title)}</h3>{shown}<p class='note'>{escape(table.caption)}</p>"


def build_metric_section(results: Results) -> str:
    """Show a table of all metrics for each size, the largest unfolded."""
    shown = []
    columns = [TableColumn("tokenizer"), *(TableColumn(metric.label, True) for metric in METRICS)]
    keys = list(results.lineup)
    for size in reversed(results.sizes):
        rows = [[results.label(key), *format_metrics(results.measured[key, size])] for key in keys]
        is_open = " open" if size == results.sizes[-1] else ""
        summary = f"<summary>Vocabulary of {size:,}</summary>"
        shown.append(f"<details{is_open}>{summary}{build_table(columns, rows)}</details>")
    return "".join(shown)


def format_metrics(measured: Measurement) -> Iterable[str]:
    """Format all metrics of a measurement."""
    summary = measured.summary()
    for metric in METRICS:
        value = summary[metric.key]
        yield metric.form.format(value) if isinstance(value, (int, float)) else "–"


def build_source_section(results: Results, settings: ReproductionSettings) -> str:
    """Show bytes per token by source or group of sources, at the largest size."""
    size = results.sizes[-1]
    by_key = {key: results.measured[key, size].sources for key in results.main_keys}
    if settings.sources:
        by_key = {key: group_sources(each, settings.sources) for key, each in by_key.items()}
    first = by_key[BOUNDLESS_4O]
    if not 0 < len(first) <= MAX_SOURCES:
        return ""
    columns = [TableColumn("source"), TableColumn("MB", True)]
    columns += [TableColumn(results.label(key), True) for key in by_key]
    rows = [
        [
            name,
            f"{totals.bytes / 1e6:,.2f}",
            *(f"{by[name].bytes / max(by[name].tokens, 1):.3f}" for by in by_key.values()),
        ]
        for name, totals in first.items()
    ]
    return f"<h3>Bytes per token by source, vocabulary {size:,}</h3>{build_table(columns, rows)}"


def build_script_section(results: Results) -> str:
    """Show bytes per token by script at the largest size, and which scripts lose against BPE."""
    size = results.sizes[-1]
    measured = [results.measured[key, size] for key in results.main_keys]
    scripts = list_scripts(measured)
    if not scripts:
        return ""
    columns = [TableColumn("script"), TableColumn("MB", True)]
    columns += [TableColumn(results.label(key), True) for key in results.main_keys]
    rows = []
    for script in scripts:
        rates = [script_rate(each, script) for each in measured]
        shown = ["–" if rate is None else f"{rate:.3f}" for rate in rates]
        rows.append([script, f"{most_bytes(measured, script) / 1e6:,.2f}", *shown])
    sentences = []
    if "bpe" in results.lineup:
        pair = [results.measured[key, size] for key in ("bpe", results.counterpart("bpe"))]
        sentences = describe_script_losses(pair)
    notes = "".join(f"<p class='note'>{escape(sentence)}</p>" for sentence in sentences)
    return (
        f"<h3>Bytes per token by script, vocabulary {size:,}</h3>"
        f"{build_table(columns, rows)}{notes}"
    )


def describe_variations(results: Results) -> list[str]:
    """Say which parameters were varied."""
    labels = "; ".join(map(results.label, results.variation_keys))
    return (
        [f"Beside the paper's models, which have no cap on superwords: {labels}."] if labels else []
    )


def build_methods(results: Results, settings: ReproductionSettings) -> str:
    """Describe what was run."""
    unseen = results.measured[BOUNDLESS_4O, results.sizes[-1]]
    seen = results.curves[BOUNDLESS_4O].training
    labels = "; ".join(map(results.label, results.main_keys))
    sizes = ", ".join(f"{size:,}" for size in results.sizes)
    items = [
        f"Trained on {seen.documents:,} documents, {seen.bytes:,} bytes of text. Measured on "
        f"{unseen.documents:,} other documents, {unseen.bytes:,} bytes.",
        *(
            f"{BASELINE_LABELS[kind]} was trained on the first {limit / 1e6:g} MB, and compared "
            "with BoundlessBPE trained on the same text."
            for kind, limit in settings.baseline_bytes.items()
        ),
        f"Compared: {labels}.",
        *describe_variations(results),
        f"Vocabulary sizes: {sizes}. They count the tokens in the final vocabulary, as the paper's "
        "effective sizes do.",
        "BPE, WordPiece and UnigramLM are Hugging Face's, with the pattern gpt4o, on bytes. They "
        "have no unknown token, and every document was checked to decode to its own bytes.",
        "BPE (B), BPE (4o) and PickyBPE are superword's.",
        f"superword {version('superword')}"
        + (f", tokenizers {version('tokenizers')}." if results.baseline_keys else "."),
    ]
    listed = "".join(f"<li>{escape(item)}</li>" for item in items)
    command = f"superword reproduce --config paper.toml\n\n# paper.toml\n{format_toml(settings)}"
    return (
        f"<ul>{listed}</ul><pre>{escape(command)}</pre>"
        f"<h3>Citing the paper</h3><pre>{escape(PAPER)}</pre>"
    )
