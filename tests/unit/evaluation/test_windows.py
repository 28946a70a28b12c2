"""Windows score each token of a document once, with enough context."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from superword.evaluation import bootstrap, windows
from superword.evaluation.windows import cut_windows

END = 7


@st.composite
def cuts(draw: st.DrawFn) -> tuple[int, int, int]:
    """Draw the number of tokens, a context and a stride."""
    context = draw(st.integers(1, 40))
    return draw(st.integers(0, 300)), context, draw(st.integers(1, context))


@given(cuts())
def test_each_token_is_scored_once_with_enough_context(cut: tuple[int, int, int]) -> None:
    length, context, stride = cut
    # Each id is its position; end-of-text is at position 0, and has another id.
    ids = np.arange(100, 100 + length)
    seen: list[int] = []
    for at, window in enumerate(cut_windows(ids, END, context, stride)):
        assert 2 <= len(window.ids) <= context + 1
        assert 1 <= window.first < len(window.ids)
        assert (window.ids[0] == END) == (at == 0)
        rest = window.ids[at == 0 :]
        assert np.array_equal(rest, np.arange(rest[0], rest[0] + len(rest)))
        for position, id in enumerate(window.ids[window.first :].tolist(), window.first):
            before = id - 100 + 1  # With end-of-text.
            assert position == before or position >= context - stride + 1
            seen.append(id)
    assert seen == ids.tolist()


@given(cuts())
def test_windows_begin_every_stride(cut: tuple[int, int, int]) -> None:
    length, context, stride = cut
    document = [END, *range(100, 100 + length)]
    for at, window in enumerate(cut_windows(document[1:], END, context, stride)):
        start = at * stride
        assert window.ids.tolist() == document[start : start + context + 1]


def test_a_context_that_holds_the_document_is_one_window() -> None:
    for length in (1, 2, 9, 10):
        (window,) = cut_windows(range(length), END, 10, 1)
        assert (window.ids.tolist(), window.first) == ([END, *range(length)], 1)
    assert len(cut_windows(range(11), END, 10, 10)) == 2


def test_an_empty_document_has_no_window() -> None:
    assert cut_windows([], END, 4, 2) == []


@pytest.mark.parametrize(("context", "stride"), [(4, 0), (4, 5), (4, -1), (0, 0), (0, 1)])
def test_other_strides_are_refused(context: int, stride: int) -> None:
    with pytest.raises(ValueError, match=f"stride must be from 1 to the context, {context}, not"):
        cut_windows([1, 2], END, context, stride)


@pytest.mark.parametrize("module", [windows, bootstrap])
def test_trainers_can_copy_the_module(module: object) -> None:
    """It runs where numpy is installed and superword is not."""
    path = Path(sys.modules[module.__name__].__file__ or "")  # type: ignore[attr-defined]
    nodes = ast.walk(ast.parse(path.read_text()))
    names = {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    assert names <= {"__future__", "typing", "numpy.typing"}
