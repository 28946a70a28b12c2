"""The figures of the paper, from what was measured here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from superword.evaluation import paper
from superword.evaluation.metrics import sorted_counts, supermerge_shares
from superword.evaluation.results import OURS, OURS_B, Results
from superword.evaluation.style import drawn, new_figure, percent_axis, thinned

__all__ = ["FIGURES", "Drawn", "Figure"]

INTERVAL = 8192
HEAD = 250
ALPHAS = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0)
# One colour for each kind of tokenizer, from Okabe and Ito's palette, in all figures.
COLOURS = {
    "bpe": "#0072B2",
    "wordpiece": "#56B4E9",
    "unigram": "#009E73",
    OURS: "#D55E00",
    OURS_B: "#E69F00",
    "superbpe-gpt4o": "#CC79A7",
}
MARKERS = {"bpe": "s", "wordpiece": "^", "unigram": "v", OURS: "o", OURS_B: "D"}


class Drawn(NamedTuple):
    """A figure, and the numbers in it as a table."""

    figure: Any
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


class Figure(NamedTuple):
    """A figure of the paper.

    Attributes:
        number: Its number in the paper.
        name: Its name in files.
        caption: What it shows.
        draw: Draws it.
    """

    number: int
    name: str
    caption: str
    draw: Callable[[Results], Drawn]


def colour(key: str) -> str:
    """The colour of a tokenizer; of one trained on a part of the text, that of its kind."""
    found = COLOURS.get(key)
    if found is None:
        found = next((c for known, c in COLOURS.items() if key.startswith(known)), "#000000")
    return found


def line_of(results: Results, key: str) -> dict[str, Any]:
    """How a tokenizer's line looks."""
    # BoundlessBPE once more, on the part of the text that a baseline was trained on.
    is_part = key.startswith(f"{OURS}-")
    # Two that nearly coincide can both be seen if the upper one has gaps.
    has_gaps = key == "wordpiece"
    return {
        "color": colour(key),
        "marker": MARKERS.get(key, "P" if key.startswith("superbpe") else "o"),
        "linestyle": ":" if is_part else (0, (3, 2)) if has_gaps else "-",
        "markerfacecolor": "white" if is_part else colour(key),
        "label": results.label(key),
    }


def size_axis(axis: Any, sizes: Sequence[int]) -> None:
    """The vocabulary sizes at even distances."""
    axis.set_xticks(range(len(sizes)), [f"{size:,}" for size in sizes])
    axis.set_xlim(-0.25, len(sizes) - 0.75)
    axis.set_xlabel("vocabulary size")


def by_size(
    results: Results, keys: Sequence[str], value: Callable[[Any], float], name: str
) -> tuple[Any, Any, list[tuple[Any, ...]]]:
    """A line for each tokenizer over the vocabulary sizes."""
    figure = new_figure(6.6, 4.2)
    axis = figure.subplots()
    rows: list[tuple[Any, ...]] = []
    for key in keys:
        values = [value(results.measured[key, size]) for size in results.sizes]
        axis.plot(range(len(values)), values, **line_of(results, key))
        labelled = zip(results.sizes, values, strict=True)
        rows += [(results.label(key), size, each) for size, each in labelled]
    size_axis(axis, results.sizes)
    axis.set_ylabel(name)
    return figure, axis, rows


def draw_papers_ours(results: Results, axis: Any, at: int) -> None:
    """The paper's values for BoundlessBPE, where its tables have them, as open circles."""
    for pattern, key in (("gpt4o", OURS), ("boundless", OURS_B)):
        known = [
            (place, paper.ABLATION[size, pattern, "bytes"][at])
            for place, size in enumerate(results.sizes)
            if (size, pattern, "bytes") in paper.ABLATION
        ]
        if known:
            short = "4o" if pattern == "gpt4o" else "B"
            style = {"color": colour(key), "marker": MARKERS[key], "markerfacecolor": "white"}
            label = f"BoundlessBPE ({short}), paper's corpus"
            axis.plot(*zip(*known, strict=True), **style, linestyle="--", linewidth=1, label=label)


def outside_legend(axis: Any, columns: int = 4) -> None:
    """The legend below, where it hides nothing."""
    handles, labels = axis.get_legend_handles_labels()
    if max(map(len, labels), default=0) > 22:
        columns = 2
    axis.figure.legend(handles, labels, loc="outside lower center", ncols=columns)


def single_tokens(results: Results) -> Drawn:
    """Figure 1."""
    figure, axis, rows = by_size(
        results, results.baselines, lambda each: each.single_share, "pretokens that are one token"
    )
    axis.axhspan(0.90, 0.95, color="#0072B2", alpha=0.10, linewidth=0)
    axis.axhspan(0.72, 0.73, color="#009E73", alpha=0.22, linewidth=0)
    axis.text(-0.22, 0.952, "paper: BPE, WordPiece", va="bottom", fontsize=8)
    lowest = min(value for _, _, value in rows) if rows else 0.7
    # On the side of the band on which our line does not begin.
    place, side = (0.732, "bottom") if lowest < 0.725 else (0.718, "top")
    axis.text(-0.22, place, "paper: UnigramLM", va=side, fontsize=8)
    axis.set_ylim(min(0.6, lowest - 0.05), 1)
    percent_axis(axis.yaxis)
    outside_legend(axis)
    return Drawn(figure, ("tokenizer", "vocab_size", "single_token_share"), rows)


# Lines that lie on each other can all be seen if the upper ones have gaps.
TRAININGS: tuple[tuple[str, str, Any, float], ...] = (
    (OURS, "#D55E00", "-", 2.6),
    (OURS_B, "#F0B93A", (0, (4, 3)), 1.6),
    ("bpe-gpt4o", "#0072B2", "-", 4.2),
    ("bpe-boundless", "#56B4E9", "-", 2.2),
    ("picky-gpt4o", "#000000", (0, (1, 3)), 1.6),
    ("picky-boundless", "#CC79A7", (2, (1, 3)), 1.6),
)


def rule_counts(results: Results) -> Drawn:
    """Figure 2."""
    figure = new_figure(6.6, 4.2)
    axis = figure.subplots()
    rows = []
    for key, shade, dashes, width in TRAININGS:
        counts = results.curves[key].counts
        places = np.unique(np.geomspace(1, len(counts), 800).astype(np.int64)) - 1
        places = np.union1d(places, np.linspace(0, len(counts) - 1, 800).astype(np.int64))
        label = results.label(key)
        style = {"color": shade, "linestyle": dashes, "linewidth": width, "label": label}
        axis.plot(places, np.log10(counts[places]), **style)
        rows += [(label, int(place) + 1, int(counts[place])) for place in places]
    axis.set_xlabel("merges and supermerges")
    axis.set_ylabel("log₁₀(count of the rule)")
    axis.xaxis.set_major_formatter("{x:,.0f}")
    axis.legend(loc="upper right", ncols=2, handlelength=3)
    return Drawn(figure, ("tokenizer", "rule", "count"), rows)


def interval_of(rules: int) -> int:
    """The paper's 8,192 rules, or fewer where that would make fewer than eight groups.

    Example:
        >>> interval_of(131_000), interval_of(8000)
        (8192, 512)
    """
    interval = INTERVAL
    while interval > 16 and rules < 8 * interval:
        interval //= 2
    return interval


def supermerges(results: Results) -> Drawn:
    """Figure 3."""
    figure = new_figure(6.6, 4.2)
    axis = figure.subplots()
    flags = results.curves[OURS_B].is_supermerge
    interval = interval_of(len(flags))
    shares = supermerge_shares(flags, interval)
    starts = np.arange(len(shares)) * interval
    ends = np.minimum(starts + interval, len(flags))
    widths = ends - starts
    bars = {"align": "edge", "edgecolor": "white", "linewidth": 1}
    axis.bar(starts, 1 - shares, widths, color="#0072B2", label="merges", **bars)
    axis.bar(starts, shares, widths, 1 - shares, color="#E69F00", label="supermerges", **bars)
    total = float(flags.mean()) if len(flags) else 0.0
    axis.axhline(1 - total, color="#000000", linewidth=1.2, label=f"all rules: {total:.1%}")
    papers = 1 - paper.SUPERMERGE_SHARE
    label = f"paper, all rules: {paper.SUPERMERGE_SHARE:.1%}"
    axis.axhline(papers, color="#000000", linewidth=1.2, linestyle=":", label=label)
    axis.set_xlim(0, max(len(flags), 1))
    axis.set_ylim(0, 1)
    axis.grid(visible=False)
    axis.set_xlabel(f"rules, in groups of {interval:,}")
    axis.set_ylabel("share of the rules")
    axis.xaxis.set_major_formatter("{x:,.0f}")
    percent_axis(axis.yaxis)
    outside_legend(axis)
    columns = ("first_rule", "last_rule", "supermerge_share")
    rows = zip((starts + 1).tolist(), ends.tolist(), shares.tolist(), strict=True)
    return Drawn(figure, columns, list(rows))


def distribution(results: Results, sizes: Sequence[int]) -> Drawn:
    """The counts of all tokens, most frequent first, and of the first 250; a row for each size."""
    figure = new_figure(9, 3.3 * max(len(sizes), 1) + 0.4)
    rows: list[tuple[Any, ...]] = []
    if not sizes:
        return Drawn(figure, ("tokenizer", "vocab_size", "rank", "count"), rows)
    grid = figure.subplots(len(sizes), 2, squeeze=False)
    for (whole, head), size in zip(grid, sizes, strict=True):
        for key in results.compared:
            counts = sorted_counts(results.measured[key, size].counts)
            style = {**line_of(results, key), "marker": "", "linewidth": 1.4}
            ranks, logarithms = thinned(counts)
            whole.plot(ranks, logarithms, **style)
            head.plot(*thinned(counts[:HEAD]), **style)
            shown = np.union1d(ranks, np.arange(min(HEAD, len(counts))))
            label = results.label(key)
            rows += [(label, size, int(rank) + 1, int(counts[rank])) for rank in shown]
        whole.set_title(f"Vocabulary of {size:,}", loc="left")
        head.set_title(f"Its {HEAD} most frequent tokens", loc="left")
        whole.set_ylabel("log₁₀(count + 1)")
        whole.xaxis.set_major_formatter("{x:,.0f}")
        whole.locator_params(axis="x", nbins=5)
    for axis in grid[-1]:
        axis.set_xlabel("token, the most frequent first")
    figure.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return Drawn(figure, ("tokenizer", "vocab_size", "rank", "count"), rows)


def outer_sizes(results: Results) -> Drawn:
    """Figure 4: the smallest and the largest vocabulary."""
    return distribution(results, sorted({results.sizes[0], results.sizes[-1]}))


def inner_sizes(results: Results) -> Drawn:
    """Figure 8: the sizes in between."""
    return distribution(results, results.sizes[1:-1])


def vocabulary(results: Results) -> Drawn:
    """Figure 5."""
    figure, axis, rows = by_size(
        results, results.compared, lambda each: each.vocabulary_used, "share of the vocabulary used"
    )
    percent_axis(axis.yaxis, None)
    outside_legend(axis)
    return Drawn(figure, ("tokenizer", "vocab_size", "vocabulary_used"), rows)


def renyi(results: Results) -> Drawn:
    """Figure 6."""
    figure, axis, rows = by_size(
        results,
        results.compared,
        lambda each: each.renyi_efficiency(),
        "Rényi efficiency (α = 2.5)",
    )
    draw_papers_ours(results, axis, 1)
    outside_legend(axis)
    return Drawn(figure, ("tokenizer", "vocab_size", "renyi_efficiency"), rows)


def compression(results: Results) -> Drawn:
    """Figure 7."""
    figure, axis, rows = by_size(
        results, results.compared, lambda each: each.bytes_per_token, "bytes per token"
    )
    draw_papers_ours(results, axis, 0)
    outside_legend(axis)
    return Drawn(figure, ("tokenizer", "vocab_size", "bytes_per_token"), rows)


def renyi_orders(results: Results) -> Drawn:
    """Figure 9."""
    figure = new_figure(9, 5.6)
    grid = figure.subplots(2, 3)
    rows: list[tuple[Any, ...]] = []
    for axis, alpha in zip(grid.flat, ALPHAS, strict=True):
        for key in results.compared:
            measured = [results.measured[key, size] for size in results.sizes]
            values = [each.renyi_efficiency(alpha) for each in measured]
            axis.plot(range(len(values)), values, **line_of(results, key))
            labelled = zip(results.sizes, values, strict=True)
            rows += [(results.label(key), size, alpha, each) for size, each in labelled]
        axis.set_title(f"α = {alpha:g}" + (" (Shannon)" if alpha == 1 else ""), loc="left")
        size_axis(axis, results.sizes)
        axis.set_xticklabels([f"{size / 1000:.0f}k" for size in results.sizes])
        axis.set_xlabel("")
    for axis in grid[-1]:
        axis.set_xlabel("vocabulary size")
    for axis in grid[:, 0]:
        axis.set_ylabel("Rényi efficiency")
    figure.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return Drawn(figure, ("tokenizer", "vocab_size", "alpha", "renyi_efficiency"), rows)


def in_style(draw: Callable[[Results], Drawn]) -> Callable[[Results], Drawn]:
    """Draw in our style."""

    def styled(results: Results) -> Drawn:
        with drawn():
            return draw(results)

    return styled


CAPTIONS: tuple[tuple[str, str, Callable[[Results], Drawn]], ...] = (
    (
        "pretoken-proportion",
        "Share of the pretokens of the evaluation corpus that become exactly one token, for the "
        "baselines. The bands are the ranges that the paper reports.",
        single_tokens,
    ),
    (
        "rule-counts",
        "How often each selected merge or supermerge occurred in the training corpus when it was "
        "selected. With supermerges to choose from, the counts fall more slowly; the four curves "
        "without them lie on each other.",
        rule_counts,
    ),
    (
        "supermerge-share",
        "Merges (lower) and supermerges (upper) in successive groups of rules, BoundlessBPE (B). "
        "The lines are the shares over all rules, here and in the paper, where the last group of "
        f"8,192 had {paper.LAST_SUPERMERGE_SHARE:.1%}.",
        supermerges,
    ),
    (
        "token-distribution",
        "Left: how often each token occurs in the evaluation corpus, the most frequent first. "
        "Right: the 250 most frequent.",
        outer_sizes,
    ),
    (
        "vocabulary-used",
        "Share of the vocabulary that occurs at least once in the evaluation corpus.",
        vocabulary,
    ),
    (
        "renyi-efficiency",
        "Rényi efficiency of the evaluation corpus, α = 2.5. Higher is more even. Open marks are "
        "the paper's values, on its own corpus.",
        renyi,
    ),
    (
        "bytes-per-token",
        "Bytes per token of the evaluation corpus. Open marks are the paper's values, on its own "
        "corpus.",
        compression,
    ),
    (
        "token-distribution-more",
        "As Figure 4, at the vocabulary sizes in between.",
        inner_sizes,
    ),
    (
        "renyi-orders",
        "Rényi efficiency for several orders α: the higher the order, the more the most frequent "
        "tokens weigh.",
        renyi_orders,
    ),
)

FIGURES = tuple(
    Figure(number, name, caption, in_style(draw))
    for number, (name, caption, draw) in enumerate(CAPTIONS, 1)
)
