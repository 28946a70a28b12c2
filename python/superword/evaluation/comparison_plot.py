"""Draw measurements side by side, as an image or an HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from superword.atomic_files import local_path, write_atomically
from superword.evaluation.comparison import METRICS
from superword.evaluation.comparison_page import build_comparison_page
from superword.evaluation.measurement import Measurement
from superword.evaluation.metrics import rank_counts
from superword.evaluation.plot_style import (
    PALETTE,
    create_figure,
    format_percent_axis,
    render_figure,
    thin_log_counts,
    use_plot_style,
)
from superword.evaluation.script_changes import list_scripts, script_rate
from superword.html_page import inline_svg

__all__ = ["check_plot_path", "save_plot"]

SUFFIXES = (".png", ".svg", ".pdf", ".html")
# The metrics shown as bars: the key, and whether it is a share.
BARS = (
    ("bytes_per_token", False),
    ("renyi_efficiency", False),
    ("vocabulary_used", True),
    ("single_share", True),
    ("instability", True),
)
KINDS = ("byte", "subword", "word", "superword")
# From light to dark, and distinct from the colors of tokenizers.
KIND_COLORS = ("#D9D9D9", "#B9B4D8", "#807DBA", "#3F007D")


def check_plot_path(path: Path) -> None:
    """Check that a plot can be saved in the format that the file name asks for.

    Raises:
        ValueError: If the suffix is not one of the supported ones, or it is a URL.
    """
    if local_path(path).suffix not in SUFFIXES:
        raise ValueError(f"{path}: name the plot a .png, an .svg, a .pdf or an .html file")


def save_plot(measured: Sequence[Measurement], path: Path) -> None:
    """Draw measurements to a file, atomically."""
    check_plot_path(path)
    if path.suffix == ".html":
        figure = inline_svg(render_figure(draw_comparison(measured), "svg"))
        content = build_comparison_page(measured, figure=figure).encode()
    else:
        content = render_figure(draw_comparison(measured), path.suffix[1:])
    with write_atomically() as files:
        files.open(path).write(content)


def draw_comparison(measured: Sequence[Measurement]) -> Any:
    """Draw the main metrics, kinds of tokens and scripts as bars, and sorted counts as lines."""
    with use_plot_style():
        rows = 0.3 * len(measured)
        figure = create_figure(11, 6.6 + 2 * rows)
        grid = figure.add_gridspec(4, 3, height_ratios=[0.7 + rows, 0.7 + rows, 3, 2.2])
        axes = grid[:3, :].subgridspec(3, 3, height_ratios=[0.7 + rows, 0.7 + rows, 3]).subplots()
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
        draw_scripts(figure.add_subplot(grid[3, :]), measured)
        axes[2, 2].axis("off")
        handles, shown = axes[2, 0].get_legend_handles_labels()
        axes[2, 2].legend(handles, shown, loc="upper left", title="Tokenizers", alignment="left")
        return figure


def draw_bars(
    axis: Any, names: list[str], values: Sequence[Any], form: str, is_share: bool
) -> None:
    """Draw a bar for each tokenizer, with its value."""
    positions = range(len(names))
    known = [value or 0.0 for value in values]
    colors = [PALETTE[at % len(PALETTE)] for at in positions]
    axis.barh(positions, known, color=colors, height=0.65)
    axis.set_yticks(list(positions), names)
    axis.invert_yaxis()
    axis.grid(axis="y", visible=False)
    most = max([*known, 1e-9])
    axis.set_xlim(0, most * 1.22)
    for position, value in zip(positions, values, strict=True):
        shown = "-" if value is None else form.format(value)
        axis.text((value or 0) + most * 0.015, position, shown, va="center", fontsize=8)
    if is_share:
        format_percent_axis(axis.xaxis)
        axis.set_xticks([tick for tick in axis.get_xticks() if tick <= 1])


def draw_kinds(axis: Any, measured: Sequence[Measurement]) -> None:
    """Draw the shares of the kinds of tokens as stacked bars."""
    positions = range(len(measured))
    left = np.zeros(len(measured))
    for kind, color in zip(KINDS, KIND_COLORS, strict=True):
        widths = np.array([each.kinds[kind] for each in measured])
        axis.barh(positions, widths, left=left, color=color, height=0.65, label=kind)
        left += widths
    axis.set_yticks(list(positions), [])
    axis.invert_yaxis()
    axis.grid(visible=False)
    axis.set_xlim(0, 1)
    format_percent_axis(axis.xaxis)
    axis.set_title("Kinds of tokens", loc="left")
    axis.legend(ncols=4, loc="upper center", bbox_to_anchor=(0.5, -0.28), columnspacing=1)


def draw_scripts(axis: Any, measured: Sequence[Measurement]) -> None:
    """Draw the bytes per token of each script, with a bar for each tokenizer."""
    scripts = list_scripts(measured)
    positions = np.arange(len(scripts))
    width = 0.8 / len(measured)
    for at, each in enumerate(measured):
        rates = [script_rate(each, script) or 0.0 for script in scripts]
        shift = (at - (len(measured) - 1) / 2) * width
        axis.bar(positions + shift, rates, width, color=PALETTE[at % len(PALETTE)])
    axis.set_xticks(positions, scripts)
    axis.grid(axis="x", visible=False)
    axis.set_title("Bytes per token by script", loc="left")


def draw_counts(whole: Any, head: Any, measured: Sequence[Measurement]) -> None:
    """Draw the counts of all tokens in descending order, and of the 250 most frequent."""
    for at, each in enumerate(measured):
        counts = rank_counts(each.counts)
        color = PALETTE[at % len(PALETTE)]
        whole.plot(*thin_log_counts(counts), color=color, label=each.name)
        head.plot(*thin_log_counts(counts[:250]), color=color)
    whole.set_title("Tokens by frequency", loc="left")
    head.set_title("The 250 most frequent", loc="left")
    for axis in (whole, head):
        axis.set_xlabel("token, most frequent first")
    whole.set_ylabel("log₁₀(count + 1)")
