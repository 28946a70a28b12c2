"""Measurements side by side, as a picture or a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from superword.atomic_files import write_atomically
from superword.evaluation.comparison import METRICS, difference
from superword.evaluation.measurement import Measurement
from superword.evaluation.metrics import sorted_counts
from superword.evaluation.pages import Column, inline_svg, page, table
from superword.evaluation.style import (
    COLOURS,
    drawn,
    figure_bytes,
    new_figure,
    percent_axis,
    thinned,
)

__all__ = ["checked_plot", "comparison_figure", "save_plot"]

FORMS = (".png", ".svg", ".html")
# What the bars show: the key, and whether as a share.
BARS = (
    ("bytes_per_token", False),
    ("renyi_efficiency", False),
    ("vocabulary_used", True),
    ("single_share", True),
    ("instability", True),
)
KINDS = ("byte", "subword", "word", "superword")
# From light to dark, and unlike the colours of tokenizers.
KIND_COLOURS = ("#D9D9D9", "#B9B4D8", "#807DBA", "#3F007D")


def checked_plot(path: Path) -> str:
    """The form of a plot, by the name of its file.

    Raises:
        ValueError: If it is none that can be drawn.
    """
    if path.suffix not in FORMS:
        raise ValueError(f"{path}: a plot is a .png, an .svg or an .html file")
    return path.suffix[1:]


def save_plot(measured: Sequence[Measurement], path: Path) -> None:
    """Draw measurements to a file, whole or not at all."""
    form = checked_plot(path)
    if form == "html":
        content = comparison_page(measured).encode()
    else:
        content = figure_bytes(comparison_figure(measured), form)
    with write_atomically() as files:
        files.open(path).write(content)


def comparison_figure(measured: Sequence[Measurement]) -> Any:
    """Bars for the main numbers, the kinds of tokens, and the sorted counts."""
    with drawn():
        rows = 0.3 * len(measured)
        figure = new_figure(11, 4.4 + 2 * rows)
        axes = figure.subplots(3, 3, height_ratios=[0.7 + rows, 0.7 + rows, 3])
        names = [each.name for each in measured]
        summaries = [each.summary() for each in measured]
        labels = {metric.key: (metric.label, metric.form) for metric in METRICS}
        for at, (axis, (key, is_share)) in enumerate(zip(axes.flat, BARS, strict=False)):
            values = [summary[key] for summary in summaries]
            label, form = labels[key]
            draw_bars(axis, names, values, form, is_share)
            axis.set_title(label[0].upper() + label[1:], loc="left")
            if at % 3:
                axis.set_yticklabels([])
        draw_kinds(axes[1, 2], measured)
        draw_counts(axes[2, 0], axes[2, 1], measured)
        axes[2, 2].axis("off")
        handles, shown = axes[2, 0].get_legend_handles_labels()
        axes[2, 2].legend(handles, shown, loc="upper left", title="Tokenizers", alignment="left")
        return figure


def draw_bars(
    axis: Any, names: list[str], values: Sequence[Any], form: str, is_share: bool
) -> None:
    """A bar for each tokenizer, with its value."""
    places = range(len(names))
    known = [value or 0.0 for value in values]
    colours = [COLOURS[at % len(COLOURS)] for at in places]
    axis.barh(places, known, color=colours, height=0.65)
    axis.set_yticks(list(places), names)
    axis.invert_yaxis()
    axis.grid(axis="y", visible=False)
    most = max([*known, 1e-9])
    axis.set_xlim(0, most * 1.22)
    for place, value in zip(places, values, strict=True):
        shown = "-" if value is None else form.format(value)
        axis.text((value or 0) + most * 0.015, place, shown, va="center", fontsize=8)
    if is_share:
        percent_axis(axis.xaxis)
        axis.set_xticks([tick for tick in axis.get_xticks() if tick <= 1])


def draw_kinds(axis: Any, measured: Sequence[Measurement]) -> None:
    """The shares of the kinds of tokens, side by side."""
    places = range(len(measured))
    left = np.zeros(len(measured))
    for kind, colour in zip(KINDS, KIND_COLOURS, strict=True):
        widths = np.array([each.kinds[kind] for each in measured])
        axis.barh(places, widths, left=left, color=colour, height=0.65, label=kind)
        left += widths
    axis.set_yticks(list(places), [])
    axis.invert_yaxis()
    axis.grid(visible=False)
    axis.set_xlim(0, 1)
    percent_axis(axis.xaxis)
    axis.set_title("Kinds of tokens", loc="left")
    axis.legend(ncols=4, loc="upper center", bbox_to_anchor=(0.5, -0.28), columnspacing=1)


def draw_counts(whole: Any, head: Any, measured: Sequence[Measurement]) -> None:
    """The counts of all tokens, the most frequent first, and of the first 250."""
    for at, each in enumerate(measured):
        counts = sorted_counts(each.counts)
        colour = COLOURS[at % len(COLOURS)]
        whole.plot(*thinned(counts), color=colour, label=each.name)
        head.plot(*thinned(counts[:250]), color=colour)
    whole.set_title("Tokens by frequency", loc="left")
    head.set_title("The 250 most frequent", loc="left")
    for axis in (whole, head):
        axis.set_xlabel("token, the most frequent first")
    whole.set_ylabel("log₁₀(count + 1)")


def comparison_page(measured: Sequence[Measurement]) -> str:
    """A page with the figure and all numbers."""
    first = measured[0]
    summaries = [each.summary() for each in measured]
    rows = []
    for metric in METRICS:
        row = [metric.label]
        for summary in summaries:
            value, base = summary[metric.key], summaries[0][metric.key]
            if not isinstance(value, (int, float)) or not isinstance(base, (int, float)):
                row.append("–")
                continue
            change = difference(value, base) if summary is not summaries[0] else None
            row.append(metric.form.format(value) + (f" ({change:+.1%})" if change else ""))
        rows.append(row)
    columns = [Column(""), *(Column(each.name, is_number=True) for each in measured)]
    body = (
        f"<p class='lead'>{first.documents:,} documents, {first.bytes:,} bytes of text. "
        "Differences are in percent of the first tokenizer.</p>"
        f"<figure>{inline_svg(figure_bytes(comparison_figure(measured), 'svg'))}</figure>"
        f"{table(columns, rows)}"
    )
    return page("Tokenizers compared", body)
