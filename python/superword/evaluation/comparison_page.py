"""Measurements side by side as a self-contained HTML page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from superword.evaluation.comparison import (
    BYTES_PER_TOKEN,
    build_metric_table,
    describe_corpus,
    sort_sources,
    source_rate,
)
from superword.evaluation.measurement import Measurement
from superword.evaluation.plot_style import PALETTE
from superword.evaluation.script_changes import (
    describe_script_losses,
    list_scripts,
    most_bytes,
    script_rate,
)
from superword.evaluation.tokenizers import AnyTokenizer, Ours
from superword.html_page import build_page, escape, format_html
from superword.tokenizer.shown_text import ShownText
from superword.tokenizer.shown_tokens import ShownToken, count_words
from superword.tokenizer.token_html import build_note, build_token_table, build_tokens

__all__ = ["ComparedText", "build_comparison_page", "show_text"]

Rate = Callable[[Measurement, str], float | None]


class ComparedText(NamedTuple):
    """A text as one of several tokenizers splits it."""

    name: str
    shown: ShownText


def show_text(tok: AnyTokenizer, text: str) -> ComparedText:
    """Return a text as a tokenizer splits it; special tokens in it are ordinary text.

    Example:
        >>> import superword
        >>> tok = Ours(superword.train(["to be or to be", "to be"], 259), "small")
        >>> show_text(tok, "to be or")
        ComparedText(name='small', shown=[to␣be] | ␣ | o | r
        4 tokens, 8 bytes, 2.00 bytes per token; 1 superword)
    """
    if isinstance(tok, Ours):
        return ComparedText(tok.name, tok.model.show(text))
    ids, _ = tok.encode_batch([text])
    tokens = {}
    for id in set(ids.tolist()):
        token = tok.vocabulary.get(id, b"")
        words = max(count_words(token, tok.pattern), 2) if id in tok.superwords else 0
        tokens[id] = ShownToken(id, token, words)
    return ComparedText(tok.name, ShownText([tokens[id] for id in ids.tolist()]))


def build_comparison_page(
    measured: Sequence[Measurement], texts: Sequence[ComparedText] = (), figure: str = ""
) -> str:
    """Build an HTML page: a text side by side, all metrics, sources and scripts.

    Args:
        measured: The measurements; empty if only a text is compared.
        texts: The text as each tokenizer splits it.
        figure: A figure as SVG.
    """
    parts = []
    if measured:
        parts.append(f"<p class='lead'>{escape(describe_corpus(measured))}.</p>")
        parts.append(build_cards(measured))
    if texts:
        parts.append(f"<h2>One text</h2>{build_columns(texts)}")
    if figure:
        parts.append(f"<figure>{figure}</figure>")
    if measured:
        parts.append(
            f"<h2>Metrics</h2>{format_html(build_metric_table(measured))}"
            "<p class='note'>Changes are relative to the first tokenizer: in percent, or in "
            "percentage points (pp) for shares.</p>"
        )
        parts.append(build_bars("source", measured, sort_sources(measured), source_rate))
        parts.append(build_bars("script", measured, list_scripts(measured), script_rate))
        parts += [f"<p>{escape(each)}</p>" for each in describe_script_losses(measured)]
    return build_page("Tokenizers compared", "\n".join(filter(None, parts)))


def build_cards(measured: Sequence[Measurement]) -> str:
    """Build a card for each tokenizer with its bytes per token."""
    first = measured[0].bytes_per_token
    cards = []
    for at, each in enumerate(measured):
        change = BYTES_PER_TOKEN.format_change(each.bytes_per_token, first)
        cards.append(
            f"<div class='card' style='border-top: 4px solid {choose_line(at)}'>"
            f"<strong>{escape(each.name)}</strong>"
            f"<b>{each.bytes_per_token:.3f}</b><span>bytes per token{f', {change}' * bool(change)}"
            f"</span><span>{each.vocab_size:,} tokens in the vocabulary</span></div>"
        )
    return f"<div class='cards'>{''.join(cards)}</div>"


def build_columns(texts: Sequence[ComparedText]) -> str:
    """Build a column for each tokenizer with the tokens of the text; narrow pages stack them."""
    columns = "".join(
        f"<section class='column'><h3>{escape(name)}</h3>{build_tokens(shown.shown_tokens)}"
        f"{build_note(shown.describe_counts())}{build_token_table(shown.shown_tokens)}</section>"
        for name, shown in texts
    )
    hint = "Superwords are underlined, with their number of words. Hover over a token for its id."
    return f"<div class='columns'>{columns}</div><p class='note'>{hint}</p>"


def build_bars(part: str, measured: Sequence[Measurement], names: Sequence[str], rate: Rate) -> str:
    """Build bars of bytes per token, for each source or script and each tokenizer."""
    if not names:
        return ""
    longest = max((rate(each, name) or 0.0 for each in measured for name in names), default=0.0)
    groups = "".join(
        f"<div class='bars'><h3>{escape(name)} <small>{size_of(measured, part, name):.2f} MB"
        f"</small></h3>{build_group(measured, name, rate, longest)}</div>"
        for name in names
    )
    return f"<h2>Bytes per token by {part}</h2>{groups}"


def build_group(measured: Sequence[Measurement], name: str, rate: Rate, longest: float) -> str:
    """Build a bar for each tokenizer, with its value and the change from the first."""
    first = rate(measured[0], name)
    rows = []
    for at, each in enumerate(measured):
        value = rate(each, name)
        shown = "–" if value is None else BYTES_PER_TOKEN.form.format(value)
        change = "" if value is None or not first else BYTES_PER_TOKEN.format_change(value, first)
        kind = "loss" if change.startswith("-") else "gain"
        width = 100 * (value or 0.0) / (longest or 1.0)
        rows.append(
            f"<div class='bar'><span>{escape(each.name)}</span>"
            f"<i><i style='width: {width:.1f}%; background: {choose_line(at)}'></i></i>"
            f"<b>{shown}</b><em class='{kind}'>{change}</em></div>"
        )
    return "".join(rows)


def size_of(measured: Sequence[Measurement], part: str, name: str) -> float:
    """Return the megabytes of a source or a script."""
    if part == "script":
        return most_bytes(measured, name) / 1e6
    return measured[0].sources[name].bytes / 1e6


def choose_line(at: int) -> str:
    """Return the color of a tokenizer, as in figures."""
    # Black is not seen in the dark.
    return {"#000000": "#777777"}.get(color := PALETTE[at % len(PALETTE)], color)
