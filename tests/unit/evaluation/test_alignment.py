"""`align`, against counting one by one."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import superword
from superword.evaluation.alignment import Alignment, align, find_pretoken_ends


def spans(ends: list[int]) -> list[tuple[int, int]]:
    return list(pairwise([0, *ends]))


def align_one_by_one(
    tokens: list[int], superwords: list[bool], pretokens: list[int], words: list[int]
) -> Alignment:
    """Count by definition."""
    cuts = [sum(start < end < stop for end in tokens) for start, stop in spans(pretokens)]
    exact = [span in spans(tokens) for span in spans(pretokens)]
    kinds = {"byte": 0, "subword": 0, "word": 0, "superword": 0}
    for (start, stop), is_superword in zip(spans(tokens), superwords, strict=True):
        if stop - start == 1:
            kinds["byte"] += 1
        elif is_superword:
            kinds["superword"] += 1
        elif (start, stop) in spans(pretokens):
            kinds["word"] += 1
        else:
            kinds["subword"] += 1
    return Alignment(
        len(pretokens),
        sum(exact),
        sum(cut == 0 and not one for cut, one in zip(cuts, exact, strict=True)),
        len(words),
        sum(cuts[word] == 0 for word in words),
        sum(cuts[word] + 1 for word in words),
        *kinds.values(),
    )


@given(st.data())
def test_alignment_matches_counting_one_by_one(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 12))
    ends = st.sets(st.integers(1, size)).map(lambda some: sorted(some | {size}))
    tokens, pretokens = data.draw(ends), data.draw(ends)
    flags = st.lists(st.booleans(), min_size=len(tokens), max_size=len(tokens))
    superwords = data.draw(flags)
    words = sorted(data.draw(st.sets(st.integers(0, len(pretokens) - 1))))
    arrays = np.array(tokens), np.array(superwords), np.array(pretokens), np.array(words, int)
    assert align(*arrays) == align_one_by_one(tokens, superwords, pretokens, words)


def test_an_empty_text_has_an_empty_alignment() -> None:
    nothing = np.zeros(0, np.int64)
    assert align(nothing, np.zeros(0, bool), nothing, nothing) == Alignment()


def test_ends_are_those_of_the_pretokens() -> None:
    texts = ["It's naïve:  日本語 x1", "", "\n", "42", "\u0e31\u0e01"]
    ends, words = find_pretoken_ends(texts, "boundless")
    pretokens = [each for text in texts for each in superword.pretokenize(text, "boundless")]
    assert ends.tolist() == np.cumsum([len(each.encode()) for each in pretokens]).tolist()
    has_letter = [any(unicodedata.category(c)[0] == "L" for c in each) for each in pretokens]
    assert words.tolist() == np.flatnonzero(has_letter).tolist()
