"""How figures look: one colour for each kind of tokenizer, safe for the colour-blind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from superword.evaluation.extra import needs

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["COLOURS", "MARKERS", "drawn", "figure_bytes", "new_figure", "percent_axis", "thinned"]

# Okabe and Ito's palette, whose colours stay apart for every kind of colour vision.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8A8A8A")
# And shapes, for prints without colours.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "h")

SETTINGS = {
    "axes.axisbelow": True,
    "axes.edgecolor": "#666666",
    "axes.grid": True,
    "axes.labelcolor": "#222222",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "figure.constrained_layout.use": True,
    "figure.dpi": 100,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "grid.color": "#E3E3E3",
    "grid.linewidth": 0.8,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "lines.markersize": 5.5,
    "svg.fonttype": "path",
    # So that the same figure is the same file.
    "svg.hashsalt": "superword",
    "xtick.color": "#444444",
    "ytick.color": "#444444",
}


@contextmanager
def drawn() -> Iterator[None]:
    """Draw in our style within this block, whatever the user's is."""
    matplotlib = needs("matplotlib")
    with matplotlib.rc_context(SETTINGS):
        yield


def new_figure(width: float, height: float) -> Any:
    """A figure of so many inches, which no window shows."""
    return needs("matplotlib.figure").Figure(figsize=(width, height))


def figure_bytes(figure: Any, form: str) -> bytes:
    """A figure as `png` or `svg`."""
    file = BytesIO()
    dates = {"Date": None} if form == "svg" else {"Software": None}
    figure.savefig(file, format=form, dpi=160, metadata=dates)
    return file.getvalue()


def percent_axis(axis: Any, decimals: int | None = 0) -> None:
    """Write shares as percents."""
    axis.set_major_formatter(needs("matplotlib.ticker").PercentFormatter(1, decimals))


def thinned(
    counts: NDArray[np.int64], points: int = 1500
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Some ranks from first to last, and the logarithm of the count at each, plus 1.

    A line through more points looks the same and makes a large file.

    Example:
        >>> ranks, logarithms = thinned(np.array([999, 99, 9, 0]), points=3)
        >>> ranks.tolist(), logarithms.tolist()
        ([0, 1, 3], [3.0, 2.0, 0.0])
    """
    last = len(counts) - 1
    ranks = np.unique(np.linspace(0, last, min(points, len(counts))).astype(np.int64))
    return ranks, np.log10(counts[ranks] + 1)
