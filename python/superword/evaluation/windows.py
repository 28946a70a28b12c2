"""The windows in which a language model scores a document. Depends on numpy alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Window", "cut_windows"]


class Window(NamedTuple):
    """Ids to run a model on, and which of them to score.

    Attributes:
        ids: The ids. The model reads all but the last.
        first: The first id to score; the ids before it are context only. At least 1.
    """

    ids: NDArray[np.int64]
    first: int


def cut_windows(ids: ArrayLike, end_of_text: int, context: int, stride: int) -> list[Window]:
    """Return the windows that score each id of a document once.

    The document follows end-of-text, which is not scored. A window begins every `stride` ids and
    scores what no earlier window did. So an id is scored after all ids before it, if these are at
    most `context`, and otherwise after at least `context - stride + 1` of them.

    Args:
        ids: The ids of the document. None have no windows.
        end_of_text: The id that the document follows.
        context: How many ids the model reads at once.
        stride: The distance between the beginnings of windows; from 1 to `context`.

    Raises:
        ValueError: If the stride is none of these.

    Example:
        >>> for window in cut_windows([1, 2, 3, 4, 5, 6], 0, context=4, stride=2):
        ...     print(window.ids, "scores", window.ids[window.first :])
        [0 1 2 3 4] scores [1 2 3 4]
        [2 3 4 5 6] scores [5 6]
    """
    if not 1 <= stride <= context:
        raise ValueError(f"stride must be from 1 to the context, {context}, not {stride}")
    document = np.concatenate(([end_of_text], np.asarray(ids, np.int64)))
    windows = []
    scored = 1
    for start in range(0, len(document), stride):
        if scored == len(document):
            break
        window = document[start : start + context + 1]
        windows.append(Window(window, scored - start))
        scored = start + len(window)
    return windows
