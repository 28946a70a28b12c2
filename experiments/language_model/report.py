"""Write the tables and the figure of an experiment from its results.

    python -m language_model.report RESULTS

Writes RESULTS/runs.csv, RESULTS/report.md and RESULTS/bits_per_byte.svg. Needs no corpus.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path

from language_model.comparison import Comparison, compare
from language_model.recorded import Results, read_results

__all__ = ["write_report"]

BUDGETS = {"flops": "equal FLOPs", "bytes": "equal bytes"}


def write_report(folder: Path) -> None:
    """Write the tables and the figure of a folder of results."""
    results = read_results(folder)
    write_runs(results, folder / "runs.csv")
    sections = [*summaries(results), *quality_sections(results), *cost_sections(results)]
    (folder / "report.md").write_text("\n".join(["# Results", "", *sections]))
    draw(results, folder / "bits_per_byte.svg")


def write_runs(results: Results, path: Path) -> None:
    """Write a row for each run and budget."""
    columns = ["series", "arm", "width", "layers", "seed", "matrix_rate", "embedding_rate"]
    measured = ["steps", "tokens", "bytes", "flops", "seconds", "final_loss", "bits_per_byte"]
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*columns, "budget", *measured])
        for run in results.runs:
            size = run["size"]
            settings = [run["series"], run["arm"], size["width"], size["layers"], run["seed"]]
            for budget, outcome in run["budgets"].items():
                found = [outcome[name] for name in measured]
                writer.writerow([*settings, *run["rates"], budget, *found])


def summaries(results: Results) -> Iterator[str]:
    """Yield one table for each series: quality at both budgets, and the cost of serving."""
    for series in results.series():
        arms = results.arms_of(series)
        yield f"## {series}, in short\n"
        yield (
            f"| | vocabulary | bits per byte | against {arms[0]}, equal FLOPs | equal bytes "
            "| bytes per token | serving: FLOPs per byte | key-value cache per byte |"
        )
        yield "| --- |" + " ---: |" * 7
        base = results.costs(series, arms[0])
        for arm in arms:
            values, costs = results.bits_per_byte(series, arm, "flops"), results.costs(series, arm)
            cells = [""] * 4
            if arm != arms[0]:
                found = [compare(results, series, arm, budget) for budget in BUDGETS]
                cells = [f"{change(one.relative)}, {one.verdict}" for one in found]
                cells += [
                    change(costs.flops / base.flops - 1),
                    change(costs.cache / base.cache - 1),
                ]
            yield (
                f"| {arm} | {costs.vocab_size:,} | {mean(values):.4f} | {cells[0]} | {cells[1]} "
                f"| {1 / costs.tokens:.3f} | {cells[2]} | {cells[3]} |"
            )
        yield ""


def quality_sections(results: Results) -> Iterator[str]:
    """Yield, for each series and budget, bits per byte beside those of the first arm."""
    for series in results.series():
        for budget, title in BUDGETS.items():
            arms = results.arms_of(series)
            yield f"## {series}, {title}\n"
            yield "| | bits per byte by seed | mean | difference | 95% interval | |"
            yield "| --- | --- | ---: | ---: | --- | --- |"
            yield reference_row(results, series)
            for arm in arms[1:]:
                yield comparison_row(compare(results, series, arm, budget), arm)
            for control in arms:
                if (matched := results.arms[control]["matches"]) in arms:
                    one = compare(results, series, matched, budget, control)
                    yield comparison_row(one, f"{matched} against {control}")
            yield ""
            yield from group_table(results, series, budget)


def reference_row(results: Results, series: str) -> str:
    """Return the row of the arm that the others are compared with."""
    reference = results.arms_of(series)[0]
    values = results.bits_per_byte(series, reference, "flops")
    return f"| {reference} | {list_seeds(values)} | {mean(values):.4f} | | | |"


def comparison_row(one: Comparison, label: str) -> str:
    """Return the row of an arm that is compared."""
    low, high = (f"{100 * end / mean(one.reference):+.2f}" for end in one.interval)
    seeds, average = list_seeds(one.values), f"{mean(one.values):.4f}"
    relative = change(one.relative)
    return f"| {label} | {seeds} | {average} | {relative} | {low} to {high}% | {one.verdict} |"


def group_table(results: Results, series: str, budget: str) -> Iterator[str]:
    """Yield bits per byte by group of sources, as means over seeds."""
    arms = results.arms_of(series)
    yield f"| group | bytes | {' | '.join(arms)} |"
    yield "| --- | ---: |" + " ---: |" * len(arms)
    for group, chosen in results.groups().items():
        size = int(results.sizes[chosen].sum())
        cells = []
        for arm in arms:
            bits = results.document_bits(series, arm, "flops" if arm == arms[0] else budget)
            cells.append(f"{bits[chosen].sum() / size:.4f}")
        yield f"| {group} | {size:,} | {' | '.join(cells)} |"
    yield ""


def cost_sections(results: Results) -> Iterator[str]:
    """Yield what each arm costs to serve, per byte of text."""
    for series in results.series():
        yield f"## {series}, cost of serving\n"
        yield (
            "| | vocabulary | superwords | tokens per byte | MFLOP per byte "
            "| key-value bytes per byte | bytes in 4,096 tokens |"
        )
        yield "| --- |" + " ---: |" * 6
        for arm in results.arms_of(series):
            costs = results.costs(series, arm)
            yield (
                f"| {arm} | {costs.vocab_size:,} | {costs.superwords:,} | {costs.tokens:.4f} "
                f"| {costs.flops / 1e6:.1f} | {costs.cache:,.0f} | {4096 / costs.tokens:,.0f} |"
            )
        yield ""


def draw(results: Results, path: Path) -> None:
    """Draw each arm's bits per byte at both budgets, a point for each seed."""
    from matplotlib import pyplot

    arms_by_series = {series: results.arms_of(series) for series in results.series()}
    if not arms_by_series:
        return
    pyplot.rcParams["svg.hashsalt"] = "superword"
    heights = [1.2 + 0.4 * len(arms) for arms in arms_by_series.values()]
    figure, panels = pyplot.subplots(
        len(heights), figsize=(6.4, sum(heights)), height_ratios=heights, squeeze=False
    )
    for panel, (series, arms) in zip(panels[:, 0], arms_by_series.items(), strict=True):
        for (budget, title), above, fill in zip(
            BUDGETS.items(), (0.13, -0.13), ("#c2410c", "white"), strict=True
        ):
            points = [
                (value, above - row)
                for row, arm in enumerate(arms)
                for value in results.bits_per_byte(series, arm, budget)
            ]
            style = {"color": "#c2410c", "markerfacecolor": fill, "markersize": 5}
            panel.plot(*zip(*points, strict=True), "o", label=title, **style)
        panel.axvline(mean(results.bits_per_byte(series, arms[0], "flops")), color="#bbb", lw=1)
        panel.set_yticks([-row for row in range(len(arms))], arms)
        panel.set_title(series, fontsize=10, loc="left")
        panel.set_xlabel("bits per byte: less is better")
        panel.spines[["top", "right", "left"]].set_visible(False)
        panel.tick_params(left=False)
        panel.legend(frameon=False, fontsize=9, loc="best")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def list_seeds(values: list[float]) -> str:
    """Return bits per byte of seeds as text."""
    return ", ".join(f"{value:.4f}" for value in values)


def change(share: float) -> str:
    """Return a difference as text."""
    return f"{100 * share:+.2f}%"


def mean(values: list[float]) -> float:
    """Return the mean."""
    return sum(values) / len(values)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    write_report(Path(sys.argv[1]))
