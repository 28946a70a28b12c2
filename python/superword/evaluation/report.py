"""The report: one page with everything, the paper's values beside ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.metadata import version
from typing import NamedTuple

from superword.evaluation.ablation import COLUMNS, Row, written
from superword.evaluation.claims import Checked
from superword.evaluation.comparison import METRICS
from superword.evaluation.contestants import BASELINE_LABELS
from superword.evaluation.figures import Figure
from superword.evaluation.groups import grouped
from superword.evaluation.measurement import Measurement
from superword.evaluation.pages import Column, inline_svg, page, table
from superword.evaluation.results import OURS, Results
from superword.evaluation.settings import Settings

__all__ = ["Part", "report"]

TITLE = "Boundless Byte Pair Encoding, measured again"
# More sources than these are only shown in groups.
MOST_SOURCES = 15


class Part(NamedTuple):
    """A figure, drawn, and its width in inches."""

    figure: Figure
    svg: bytes
    width: float


def report(
    results: Results,
    settings: Settings,
    parts: Sequence[Part],
    tables: Mapping[int, Sequence[Row]],
    claims: Sequence[Checked],
) -> str:
    """The page, as HTML."""
    body = [
        lead(results),
        cards(results, claims),
        navigation(),
        "<h2 id='claims'>The paper's claims, checked</h2>",
        "<p>Each claim was turned into a test on numbers before anything was run. A claim that "
        "does not hold is shown as such; the corpus is not the paper's.</p>",
        *map(claim_shown, claims),
        "<h2 id='sentence'>One sentence</h2>",
        sentence(results),
        "<h2 id='figures'>The figures</h2>",
        *map(figure_shown, parts),
        "<h2 id='tables'>The tables</h2>",
        *(ablation_shown(number, rows) for number, rows in tables.items()),
        "<h2 id='more'>Everything that was measured</h2>",
        all_numbers(results),
        sources_shown(results, settings),
        "<h2 id='how'>How it was made</h2>",
        how(results, settings),
    ]
    return page(TITLE, "\n".join(part for part in body if part))


def lead(results: Results) -> str:
    """What this is about."""
    held = results.measured[OURS, results.sizes[-1]]
    return (
        "<p class='lead'>Most tokenizers may not merge across the boundary between words. "
        "BoundlessBPE may: two neighbouring whole words can become one <em>superword</em>, such as "
        "<code>␣of␣the</code>. Here the experiments of "
        "<a href='https://arxiv.org/abs/2504.00178'>Schmidt et al. (COLM 2025)</a> are done again "
        f"with superword, on {held.documents:,} unseen documents of {held.bytes / 1e6:,.1f} MB, "
        "every figure and table with the paper's own values beside ours.</p>"
    )


def cards(results: Results, claims: Sequence[Checked]) -> str:
    """The main numbers."""
    size = results.sizes[-1]
    ours = results.measured[OURS, size]
    held = sum(each.verdict.holds is True for each in claims)
    judged = sum(each.verdict.holds is not None for each in claims)
    shown = [(f"{held} of {judged}", "claims of the paper hold on this corpus")]
    if "bpe" in results.contestants:
        base = results.measured["bpe", size]
        rival = results.measured[results.opponent("bpe"), size]
        more = rival.bytes_per_token / base.bytes_per_token - 1
        even = rival.renyi_efficiency() / base.renyi_efficiency() - 1
        shown += [
            (f"{more:+.1%}", f"bytes per token against BPE, vocabulary {size:,}"),
            (f"{even:+.1%}", "Rényi efficiency against BPE"),
        ]
    shown.append((f"{ours.kinds['superword']:.1%}", "of BoundlessBPE's tokens are superwords"))
    boxes = (f"<div class='card'><b>{big}</b><span>{small}</span></div>" for big, small in shown)
    return f"<div class='cards'>{''.join(boxes)}</div>"


def navigation() -> str:
    """Where things are."""
    places = ("claims", "sentence", "figures", "tables", "more", "how")
    names = ("Claims", "One sentence", "Figures", "Tables", "All numbers", "How it was made")
    links = (f"<a href='#{to}'>{name}</a>" for to, name in zip(places, names, strict=True))
    return f"<nav>{''.join(links)}</nav>"


VERDICTS = {
    True: ("holds", "✓ holds"),
    False: ("fails", "✗ not here"),
    None: ("unknown", "not run"),
}


def claim_shown(checked: Checked) -> str:
    """A claim, whether it holds, and in which cases."""
    claim, verdict = checked
    kind, word = VERDICTS[verdict.holds]
    held = sum(is_so for is_so, _ in verdict.cases)
    items = "".join(
        f"<li class='{'so' if is_so else 'not'}'>{escape(found)}</li>"
        for is_so, found in verdict.cases
    )
    if len(verdict.cases) > 2:
        summary = f"<summary>so in {held} of {len(verdict.cases)} cases</summary>"
        items = f"<details>{summary}<ul>{items}</ul></details>"
    elif items:
        items = f"<ul>{items}</ul>"
    return (
        f"<div class='claim {kind}'><div class='verdict'>{word}</div><div>{escape(claim.statement)}"
        f"<small>Test: {escape(claim.test)}</small>{items}</div></div>"
    )


def sentence(results: Results) -> str:
    """The sentence through the tokenizers, in colours."""
    text, by_label = results.sentence
    rows = []
    for label, tokens in by_label.items():
        spans = "".join(f"<span class='token'>{escape(token)}</span>" for token in tokens)
        count = f"<td class='number'>{len(tokens)}</td>"
        rows.append(f"<tr><td>{escape(label)}</td>{count}<td>{spans}</td></tr>")
    return (
        f"<p>“{escape(text)}” with vocabularies of {results.sizes[-1]:,} tokens.</p>"
        "<div class='wide'><table><tr><th>tokenizer</th><th class='number'>tokens</th>"
        f"<th></th></tr>{''.join(rows)}</table></div>"
    )


def figure_shown(part: Part) -> str:
    """A figure with its caption."""
    figure = part.figure
    return (
        f"<figure id='figure-{figure.number}' style='max-width: {part.width * 6.5:.0f}rem'>"
        f"{inline_svg(part.svg)}"
        f"<figcaption><b>Figure {figure.number}.</b> {escape(figure.caption)}</figcaption></figure>"
    )


def ablation_shown(number: int, rows: Sequence[Row]) -> str:
    """Table 1 or 3, a line between patterns."""
    columns = [
        Column(name.strip(), is_number=at not in (1, 2), is_paper=name.startswith("paper"))
        for at, name in enumerate(COLUMNS)
    ]
    caption = "Patterns and styles of deletion: none, PickyBPE's original (the pair), ours (bytes)."
    shown = table(columns, [written(row) for row in rows], range(3, len(rows), 3))
    return f"<h3>Table {number}</h3>{shown}<p class='note'>{caption}</p>"


def all_numbers(results: Results) -> str:
    """For each size a table of all metrics, the largest open."""
    keys = [key for key in results.contestants if has_all(results, key)]
    shown = []
    for size in reversed(results.sizes):
        columns = [Column("tokenizer"), *(Column(metric.label, True) for metric in METRICS)]
        rows = [[results.label(key), *numbers(results.measured[key, size])] for key in keys]
        is_open = " open" if size == results.sizes[-1] else ""
        shown.append(
            f"<details{is_open}><summary>Vocabulary of {size:,}</summary>{table(columns, rows)}"
            "</details>"
        )
    return "".join(shown)


def has_all(results: Results, key: str) -> bool:
    """Say whether a tokenizer was measured at all sizes."""
    return all((key, size) in results.measured for size in results.sizes)


def numbers(measured: Measurement) -> Iterable[str]:
    """All metrics of a measurement, written."""
    summary = measured.summary()
    for metric in METRICS:
        value = summary[metric.key]
        yield metric.form.format(value) if isinstance(value, (int, float)) else "–"


def sources_shown(results: Results, settings: Settings) -> str:
    """Bytes per token by source, at the largest size; many sources only in groups."""
    size = results.sizes[-1]
    by_key = {
        key: results.measured[key, size].sources
        if not settings.sources
        else grouped(results.measured[key, size].sources, settings.sources)
        for key in results.compared
    }
    first = by_key[OURS]
    if not 0 < len(first) <= MOST_SOURCES:
        return ""
    columns = [Column("source"), Column("MB", True)]
    columns += [Column(results.label(key), True) for key in by_key]
    rows = [
        [
            name,
            f"{share.bytes / 1e6:,.2f}",
            *(f"{by[name].bytes / max(by[name].tokens, 1):.3f}" for by in by_key.values()),
        ]
        for name, share in first.items()
    ]
    return f"<h3>Bytes per token by source, vocabulary {size:,}</h3>{table(columns, rows)}"


def how(results: Results, settings: Settings) -> str:
    """What was run."""
    held = results.measured[OURS, results.sizes[-1]]
    seen = results.curves[OURS].training
    labels = "; ".join(map(results.label, results.compared))
    sizes = ", ".join(f"{size:,}" for size in results.sizes)
    items = [
        f"Trained on {seen.documents:,} documents, {seen.bytes:,} bytes of text; measured on "
        f"{held.documents:,} others, {held.bytes:,} bytes.",
        *(
            f"{BASELINE_LABELS[kind]} was trained on the first {limit / 1e6:g} MB of it, and "
            "BoundlessBPE on the same part stands beside it."
            for kind, limit in settings.baseline_bytes.items()
        ),
        f"Compared: {labels}.",
        f"Vocabulary sizes: {sizes}. They count the tokens that are in the vocabulary at the end, "
        "as the paper's effective sizes do.",
        "BPE, WordPiece and UnigramLM are Hugging Face's, with the pattern gpt4o, on bytes; none "
        "has an unknown token, and each document was checked to come back byte for byte.",
        "BPE (B), BPE (4o) and PickyBPE are superword's own.",
        f"superword {version('superword')}"
        + (f", tokenizers {version('tokenizers')}." if results.baselines else "."),
    ]
    listed = "".join(f"<li>{escape(item)}</li>" for item in items)
    return f"<ul>{listed}</ul><pre>superword reproduce --train TRAIN --eval EVAL --out DIR</pre>"
