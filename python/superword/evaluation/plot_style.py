"""The style of figures, with colors that are safe for the color-blind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from superword.evaluation.extras import import_extra

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "PALETTE",
    "create_figure",
    "format_percent_axis",
    "render_figure",
    "thin_log_counts",
    "use_plot_style",
]

# The palette of Okabe and Ito, distinguishable with every kind of color vision.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8A8A8A")

# What would differ from run to run, or from version to version.
UNDATED = {
    "png": {"Software": None},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}

RC_PARAMS = {
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
    # Fonts as TrueType, which publishers ask for.
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    # A fixed salt makes the SVG files reproducible.
    "svg.hashsalt": "superword",
    "xtick.color": "#444444",
    "ytick.color": "#444444",
}


@contextmanager
def use_plot_style() -> Iterator[None]:
    """Use this style within a `with` block, whatever the user's settings are."""
    matplotlib = import_extra("matplotlib")
    with matplotlib.rc_context(RC_PARAMS):
        yield


def create_figure(width: float, height: float) -> Any:
    """Create a figure of a size in inches, without a window."""
    return import_extra("matplotlib.figure").Figure(figsize=(width, height))


@use_plot_style()
def render_figure(figure: Any, form: str) -> bytes:
    """Render a figure as `png`, `svg` or `pdf`, without a date."""
    file = BytesIO()
    figure.savefig(file, format=form, dpi=160, metadata=UNDATED[form])
    return file.getvalue()


def format_percent_axis(axis: Any, decimals: int | None = 0) -> None:
    """Label the ticks of an axis in percent."""
    axis.set_major_formatter(import_extra("matplotlib.ticker").PercentFormatter(1, decimals))


def thin_log_counts(
    counts: NDArray[np.int64], points: int = 1500
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return evenly spaced ranks, and log10(count + 1) at each.

    A line through more points looks the same and makes a larger file.

    Example:
        >>> ranks, logarithms = thin_log_counts(np.array([999, 99, 9, 0]), points=3)
        >>> ranks.tolist(), logarithms.tolist()
        ([0, 1, 3], [3.0, 2.0, 0.0])
    """
    last = len(counts) - 1
    ranks = np.unique(np.linspace(0, last, min(points, len(counts))).astype(np.int64))
    return ranks, np.log10(counts[ranks] + 1)
