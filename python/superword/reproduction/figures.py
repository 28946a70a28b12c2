"""The paper's figures, drawn from the results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from superword.evaluation import (
    create_figure,
    format_percent_axis,
    rank_counts,
    supermerge_shares,
    thin_log_counts,
    use_plot_style,
)
from superword.reproduction import paper
from superword.reproduction.claim_tests import HEAD_SIZE
from superword.reproduction.lineup import cap_key
from superword.reproduction.results import BOUNDLESS_4O, BOUNDLESS_B, Results
from superword.tokenizer import TrainingConfig

__all__ = ["FIGURES", "DrawnFigure", "PaperFigure"]

CAPPED = cap_key(TrainingConfig.max_superwords)
ALPHAS = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0)
# One color for each kind of tokenizer in all figures, from the palette of Okabe and Ito.
COLORS = {
    "bpe": "#0072B2",
    "wordpiece": "#56B4E9",
    "unigram": "#009E73",
    BOUNDLESS_4O: "#D55E00",
    BOUNDLESS_B: "#E69F00",
    "superbpe-gpt4o": "#CC79A7",
    CAPPED: "#000000",
}
MARKERS = {
    **{"bpe": "s", "wordpiece": "^", "unigram": "v", BOUNDLESS_4O: "o", BOUNDLESS_B: "D"},
    CAPPED: "X",
}


class DrawnFigure(NamedTuple):
    """A figure, and its numbers as a table."""

    figure: Any
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


class PaperFigure(NamedTuple):
    """A figure of the paper.

    Attributes:
        number: The number in the paper.
        name: The name in files.
        caption: The caption in the report.
        draw: Draws the figure.
    """

    number: int
    name: str
    caption: str
    draw: Callable[[Results], DrawnFigure]


def choose_color(key: str) -> str:
    """Return the color of a tokenizer, also if it was trained on part of the text."""
    found = COLORS.get(key)
    if found is None:
        found = next((color for known, color in COLORS.items() if key.startswith(known)), "#000000")
    return found


def choose_line_style(results: Results, key: str) -> dict[str, Any]:
    """Return the style of a tokenizer's line."""
    # BoundlessBPE trained on the limited text of a baseline.
    is_part = key.startswith(f"{BOUNDLESS_4O}-")
    # Dashed, because it nearly coincides with the line of BPE below it.
    is_dashed = key == "wordpiece"
    return {
        "color": choose_color(key),
        "marker": MARKERS.get(key, "P" if key.startswith("superbpe") else "o"),
        "linestyle": ":" if is_part else (0, (3, 2)) if is_dashed else "-",
        "markerfacecolor": "white" if is_part else choose_color(key),
        "label": results.label(key),
    }


def label_sizes(axis: Any, sizes: Sequence[int]) -> None:
    """Label the x axis with the vocabulary sizes at even distances."""
    axis.set_xticks(range(len(sizes)), [f"{size:,}" for size in sizes])
    axis.set_xlim(-0.25, len(sizes) - 0.75)
    axis.set_xlabel("vocabulary size")


def draw_by_size(
    results: Results, keys: Sequence[str], value: Callable[[Any], float], name: str
) -> tuple[Any, Any, list[tuple[Any, ...]]]:
    """Draw a line for each tokenizer over the vocabulary sizes."""
    figure = create_figure(6.6, 4.2)
    axis = figure.subplots()
    rows: list[tuple[Any, ...]] = []
    for key in keys:
        values = [value(results.measured[key, size]) for size in results.sizes]
        axis.plot(range(len(values)), values, **choose_line_style(results, key))
        labelled = zip(results.sizes, values, strict=True)
        rows += [(results.label(key), size, each) for size, each in labelled]
    label_sizes(axis, results.sizes)
    axis.set_ylabel(name)
    return figure, axis, rows


def draw_paper_values(results: Results, axis: Any, at: int) -> None:
    """Draw the paper's values for BoundlessBPE, where its tables have them, as open marks."""
    for pattern, key in (("gpt4o", BOUNDLESS_4O), ("boundless", BOUNDLESS_B)):
        known = [
            (position, paper.ABLATION[size, pattern, "bytes"][at])
            for position, size in enumerate(results.sizes)
            if (size, pattern, "bytes") in paper.ABLATION
        ]
        if known:
            short = "4o" if pattern == "gpt4o" else "B"
            style = {"color": choose_color(key), "marker": MARKERS[key], "markerfacecolor": "white"}
            label = f"BoundlessBPE ({short}), paper's corpus"
            axis.plot(*zip(*known, strict=True), **style, linestyle="--", linewidth=1, label=label)


def draw_legend_below(axis: Any, columns: int = 4) -> None:
    """Draw the legend below the figure, where it hides nothing."""
    handles, labels = axis.get_legend_handles_labels()
    if max(map(len, labels), default=0) > 22:
        columns = 2
    axis.figure.legend(handles, labels, loc="outside lower center", ncols=columns)


def draw_single_tokens(results: Results) -> DrawnFigure:
    """Draw Figure 1."""
    figure, axis, rows = draw_by_size(
        results,
        results.baseline_keys,
        lambda each: each.single_share,
        "pretokens that are one token",
    )
    axis.axhspan(0.90, 0.95, color="#0072B2", alpha=0.10, linewidth=0)
    axis.axhspan(0.72, 0.73, color="#009E73", alpha=0.22, linewidth=0)
    axis.text(-0.22, 0.952, "paper: BPE, WordPiece", va="bottom", fontsize=8)
    lowest = min(value for _, _, value in rows) if rows else 0.7
    # Above or below the band, away from the start of our line.
    height, side = (0.732, "bottom") if lowest < 0.725 else (0.718, "top")
    axis.text(-0.22, height, "paper: UnigramLM", va=side, fontsize=8)
    axis.set_ylim(min(0.6, lowest - 0.05), 1)
    format_percent_axis(axis.yaxis)
    draw_legend_below(axis)
    return DrawnFigure(figure, ("tokenizer", "vocab_size", "single_token_share"), rows)


# The lines overlap, so those on top are dashed.
CURVE_STYLES: tuple[tuple[str, str, Any, float], ...] = (
    (BOUNDLESS_4O, "#D55E00", "-", 2.6),
    (BOUNDLESS_B, "#F0B93A", (0, (4, 3)), 1.6),
    ("bpe-gpt4o", "#0072B2", "-", 4.2),
    ("bpe-boundless", "#56B4E9", "-", 2.2),
    ("picky-gpt4o", "#000000", (0, (1, 3)), 1.6),
    ("picky-boundless", "#CC79A7", (2, (1, 3)), 1.6),
)


def draw_rule_counts(results: Results) -> DrawnFigure:
    """Draw Figure 2."""
    figure = create_figure(6.6, 4.2)
    axis = figure.subplots()
    rows = []
    for key, color, dashes, width in CURVE_STYLES:
        counts = results.curves[key].counts
        ranks = np.unique(np.geomspace(1, len(counts), 800).astype(np.int64)) - 1
        ranks = np.union1d(ranks, np.linspace(0, len(counts) - 1, 800).astype(np.int64))
        label = results.label(key)
        style = {"color": color, "linestyle": dashes, "linewidth": width, "label": label}
        axis.plot(ranks, np.log10(counts[ranks]), **style)
        rows += [(label, int(rank) + 1, int(counts[rank])) for rank in ranks]
    axis.set_xlabel("merges and supermerges")
    axis.set_ylabel("log₁₀(count of the rule)")
    axis.xaxis.set_major_formatter("{x:,.0f}")
    axis.legend(loc="upper right", ncols=2, handlelength=3)
    return DrawnFigure(figure, ("tokenizer", "rule", "count"), rows)


def choose_interval(rules: int) -> int:
    """Return 8,192 rules, as in the paper, or fewer if that would make fewer than eight groups.

    Example:
        >>> choose_interval(131_000), choose_interval(8000)
        (8192, 512)
    """
    interval = paper.RULES_PER_GROUP
    while interval > 16 and rules < 8 * interval:
        interval //= 2
    return interval


def draw_supermerge_share(results: Results) -> DrawnFigure:
    """Draw Figure 3."""
    figure = create_figure(6.6, 4.2)
    axis = figure.subplots()
    flags = results.curves[BOUNDLESS_B].is_supermerge
    interval = choose_interval(len(flags))
    shares = supermerge_shares(flags, interval)
    starts = np.arange(len(shares)) * interval
    ends = np.minimum(starts + interval, len(flags))
    widths = ends - starts
    bars = {"align": "edge", "edgecolor": "white", "linewidth": 1}
    axis.bar(starts, 1 - shares, widths, color="#0072B2", label="merges", **bars)
    axis.bar(starts, shares, widths, 1 - shares, color="#E69F00", label="supermerges", **bars)
    total = float(flags.mean()) if len(flags) else 0.0
    axis.axhline(1 - total, color="#000000", linewidth=1.2, label=f"all rules: {total:.1%}")
    paper_line = 1 - paper.SUPERMERGE_SHARE
    label = f"paper, all rules: {paper.SUPERMERGE_SHARE:.1%}"
    axis.axhline(paper_line, color="#000000", linewidth=1.2, linestyle=":", label=label)
    axis.set_xlim(0, max(len(flags), 1))
    axis.set_ylim(0, 1)
    axis.grid(visible=False)
    axis.set_xlabel(f"rules, in groups of {interval:,}")
    axis.set_ylabel("share of the rules")
    axis.xaxis.set_major_formatter("{x:,.0f}")
    format_percent_axis(axis.yaxis)
    draw_legend_below(axis)
    columns = ("first_rule", "last_rule", "supermerge_share")
    rows = zip((starts + 1).tolist(), ends.tolist(), shares.tolist(), strict=True)
    return DrawnFigure(figure, columns, list(rows))


def draw_distribution(results: Results, sizes: Sequence[int]) -> DrawnFigure:
    """Draw a row per size: the counts of all tokens in descending order, and of the first 250."""
    figure = create_figure(9, 3.3 * max(len(sizes), 1) + 0.4)
    rows: list[tuple[Any, ...]] = []
    if not sizes:
        return DrawnFigure(figure, ("tokenizer", "vocab_size", "rank", "count"), rows)
    grid = figure.subplots(len(sizes), 2, squeeze=False)
    for (whole, head), size in zip(grid, sizes, strict=True):
        for key in results.main_keys:
            counts = rank_counts(results.measured[key, size].counts)
            style = {**choose_line_style(results, key), "marker": "", "linewidth": 1.4}
            ranks, logarithms = thin_log_counts(counts)
            whole.plot(ranks, logarithms, **style)
            head.plot(*thin_log_counts(counts[:HEAD_SIZE]), **style)
            shown = np.union1d(ranks, np.arange(min(HEAD_SIZE, len(counts))))
            label = results.label(key)
            rows += [(label, size, int(rank) + 1, int(counts[rank])) for rank in shown]
        whole.set_title(f"Vocabulary of {size:,}", loc="left")
        head.set_title(f"Its {HEAD_SIZE} most frequent tokens", loc="left")
        whole.set_ylabel("log₁₀(count + 1)")
        whole.xaxis.set_major_formatter("{x:,.0f}")
        whole.locator_params(axis="x", nbins=5)
    for axis in grid[-1]:
        axis.set_xlabel("token, the most frequent first")
    figure.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return DrawnFigure(figure, ("tokenizer", "vocab_size", "rank", "count"), rows)


def draw_outer_sizes(results: Results) -> DrawnFigure:
    """Draw Figure 4: the smallest and the largest vocabulary."""
    return draw_distribution(results, sorted({results.sizes[0], results.sizes[-1]}))


def draw_inner_sizes(results: Results) -> DrawnFigure:
    """Draw Figure 8: the sizes in between."""
    return draw_distribution(results, results.sizes[1:-1])


def draw_vocabulary_used(results: Results) -> DrawnFigure:
    """Draw Figure 5."""
    figure, axis, rows = draw_by_size(
        results,
        results.main_keys,
        lambda each: each.vocabulary_used,
        "share of the vocabulary used",
    )
    format_percent_axis(axis.yaxis, None)
    draw_legend_below(axis)
    return DrawnFigure(figure, ("tokenizer", "vocab_size", "vocabulary_used"), rows)


def draw_renyi_efficiency(results: Results) -> DrawnFigure:
    """Draw Figure 6."""
    figure, axis, rows = draw_by_size(
        results,
        results.main_keys,
        lambda each: each.renyi_efficiency(),
        "Rényi efficiency (α = 2.5)",
    )
    draw_paper_values(results, axis, 1)
    draw_legend_below(axis)
    return DrawnFigure(figure, ("tokenizer", "vocab_size", "renyi_efficiency"), rows)


def draw_bytes_per_token(results: Results) -> DrawnFigure:
    """Draw Figure 7."""
    figure, axis, rows = draw_by_size(
        results, results.main_keys, lambda each: each.bytes_per_token, "bytes per token"
    )
    draw_paper_values(results, axis, 0)
    draw_legend_below(axis)
    return DrawnFigure(figure, ("tokenizer", "vocab_size", "bytes_per_token"), rows)


def draw_renyi_orders(results: Results) -> DrawnFigure:
    """Draw Figure 9."""
    figure = create_figure(9, 5.6)
    grid = figure.subplots(2, 3)
    rows: list[tuple[Any, ...]] = []
    for axis, alpha in zip(grid.flat, ALPHAS, strict=True):
        for key in results.main_keys:
            measured = [results.measured[key, size] for size in results.sizes]
            values = [each.renyi_efficiency(alpha) for each in measured]
            axis.plot(range(len(values)), values, **choose_line_style(results, key))
            labelled = zip(results.sizes, values, strict=True)
            rows += [(results.label(key), size, alpha, each) for size, each in labelled]
        axis.set_title(f"α = {alpha:g}" + (" (Shannon)" if alpha == 1 else ""), loc="left")
        label_sizes(axis, results.sizes)
        axis.set_xticklabels([f"{size / 1000:.0f}k" for size in results.sizes])
        axis.set_xlabel("")
    for axis in grid[-1]:
        axis.set_xlabel("vocabulary size")
    for axis in grid[:, 0]:
        axis.set_ylabel("Rényi efficiency")
    figure.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return DrawnFigure(figure, ("tokenizer", "vocab_size", "alpha", "renyi_efficiency"), rows)


OPEN_MARKS = (
    "Open marks on dashed lines are the paper's values, on its own corpus. Open marks on dotted "
    "lines, if any, are ours: BoundlessBPE trained on the text that a slow baseline was limited to."
)
# The name, the caption and the function of each figure, in the paper's order.
DEFINITIONS: tuple[tuple[str, str, Callable[[Results], DrawnFigure]], ...] = (
    (
        "pretoken-proportion",
        "Share of the pretokens of the evaluation corpus that become exactly one token, for the "
        "baselines. The bands are the ranges that the paper reports.",
        draw_single_tokens,
    ),
    (
        "rule-counts",
        "The count of each merge or supermerge in the training corpus when it was selected, for "
        "training with supermerges (BoundlessBPE) and without.",
        draw_rule_counts,
    ),
    (
        "supermerge-share",
        "Merges (lower) and supermerges (upper) in successive groups of rules, BoundlessBPE (B). "
        "The lines are the shares over all rules, here and in the paper, where the last group of "
        f"8,192 had {paper.LAST_SUPERMERGE_SHARE:.1%}.",
        draw_supermerge_share,
    ),
    (
        "token-distribution",
        "Left: the count of each token in the evaluation corpus, most frequent first. "
        "Right: the 250 most frequent.",
        draw_outer_sizes,
    ),
    (
        "vocabulary-used",
        "Share of the vocabulary that occurs at least once in the evaluation corpus.",
        draw_vocabulary_used,
    ),
    (
        "renyi-efficiency",
        f"Rényi efficiency of the evaluation corpus, α = 2.5. Higher is more even. {OPEN_MARKS}",
        draw_renyi_efficiency,
    ),
    (
        "bytes-per-token",
        f"Bytes per token of the evaluation corpus. {OPEN_MARKS}",
        draw_bytes_per_token,
    ),
    (
        "token-distribution-more",
        "As Figure 4, at the vocabulary sizes in between.",
        draw_inner_sizes,
    ),
    (
        "renyi-orders",
        "Rényi efficiency for several orders α. Higher orders give frequent tokens more weight.",
        draw_renyi_orders,
    ),
)

FIGURES = tuple(
    PaperFigure(number, name, caption, use_plot_style()(draw))
    for number, (name, caption, draw) in enumerate(DEFINITIONS, 1)
)
