"""Every method that decodes: results, arguments and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import superword
from superword import Tokenizer, UnknownTokenError

TEXT = "It was the end of the day. “Naïve” 日本語!\n\n  12345 cafés\n"

pieces = st.sampled_from(
    ["the", " of the", " and", "é", "日本", "“", "\n", " ", "1234", "'s", "\0"]
)
texts = st.lists(pieces | st.characters(exclude_categories=["Cs"]), max_size=12).map("".join)


@given(texts)
def test_decoding_gives_the_text_back(tok: Tokenizer, text: str) -> None:
    assert tok.decode(tok.encode(text)) == text
    assert tok.decode(tok.encode(text), errors="strict") == text


@pytest.mark.parametrize(
    "kind",
    [
        list,
        tuple,
        iter,
        np.array,
        lambda ids: np.array(ids, np.uint16),
        lambda ids: (i for i in ids),
    ],
    ids=["list", "tuple", "iterator", "int64", "uint16", "generator"],
)
def test_ids_come_in_many_forms(tok: Tokenizer, kind: Callable[[list[int]], Any]) -> None:
    ids = tok.encode(TEXT)
    assert tok.decode(kind(ids)) == TEXT
    assert tok.decode_bytes(kind(ids)) == TEXT.encode()


def test_decoding_nothing(tok: Tokenizer) -> None:
    assert (tok.decode([]), tok.decode_bytes(()), tok.decode_batch([])) == ("", b"", [])
    assert tok.decode_batch([[], tok.encode(TEXT)]) == ["", TEXT]


@settings(max_examples=50)
@given(st.lists(st.integers(0, 1502)))
def test_decode_bytes_takes_any_ids(special: Tokenizer, ids: list[int]) -> None:
    data = special.decode_bytes(ids)
    assert data == b"".join(map(special.token_bytes, ids))
    assert special.decode(ids) == data.decode("utf-8", "replace")
    assert special.decode_batch([ids], errors="ignore") == [data.decode("utf-8", "ignore")]
    assert special.decode_bytes(special.encode_bytes(data)) == data


def test_bytes_that_are_no_text_are_decoded_as_asked(tok: Tokenizer) -> None:
    ids = [*tok.encode("é")[:1], 0xE6, 97]
    assert tok.decode(ids[1:]) == "\N{REPLACEMENT CHARACTER}a"
    assert tok.decode(ids[1:], errors="ignore") == "a"
    assert tok.decode(ids[1:], errors="backslashreplace") == "\\xe6a"
    with pytest.raises(UnicodeDecodeError):
        tok.decode(ids[1:], errors="strict")


@pytest.mark.parametrize("id", [-1, 1500, 2**32 - 1, 2**32, -(2**31), 2**70])
def test_an_unknown_id_is_refused_by_name(tok: Tokenizer, id: int) -> None:
    message = f"no token has the id {id}, found at index 1; the largest id of this model is 1499"
    for ids in ([97, id], iter([97, id]), (97, id)):
        with pytest.raises(UnknownTokenError, match=message):
            tok.decode_bytes(ids)
    with pytest.raises(KeyError, match=str(id)):
        tok.decode([id])
    with pytest.raises(UnknownTokenError, match=message):
        tok.decode_batch([[97], [97, id]])
    with pytest.raises(UnknownTokenError, match=str(id)):
        tok.decode_stream().feed(id)


def test_an_invalid_id_is_rejected(tok: Tokenizer) -> None:
    for ids in (["a"], [1.5], [None], "text", 7, [[1]]):
        with pytest.raises(TypeError):
            tok.decode_bytes(ids)  # type: ignore[arg-type]


@given(texts)
def test_a_stream_gives_text_as_soon_as_it_is_whole(tok: Tokenizer, text: str) -> None:
    stream, ids, given = tok.decode_stream(), tok.encode(text), ""
    for count, id in enumerate(ids, 1):
        given += stream.feed(id)
        assert given == tok.decode_bytes(ids[:count]).decode("utf-8", "ignore")
    assert given + stream.finish() == text


@given(st.lists(st.integers(0, 255), max_size=12), st.sampled_from(["replace", "ignore"]))
def test_a_stream_of_any_ids_gives_the_text_of_decode(
    tok: Tokenizer, ids: list[int], errors: str
) -> None:
    stream = tok.decode_stream(errors)
    assert isinstance(stream, superword.DecodeStream)
    text = "".join(map(stream.feed, ids)) + stream.finish()
    assert text == tok.decode(ids, errors)
