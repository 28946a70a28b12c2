"""`Tokenizer.as_tiktoken` against tiktoken, with the same calls."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

import superword
from superword.tokenizer.tiktoken_adapter import TiktokenAdapter

SPECIAL = ["<|endoftext|>", "<|user|>"]
TEXTS = ["", "to be", "The end of the day.\n\n  café 猫", "to be<|user|>or<|endoftext|>", "\ud83d!"]


BROKEN = [
    b"",
    b" \xec\x8b\xa4\xed",
    b"to be \xe7\x8c",
    b"of the  \n \xff",
    *(b"\x80" * n for n in range(9)),
]


@pytest.fixture(scope="module")
def adapter() -> TiktokenAdapter:
    tok = superword.train(
        superword.sample(),
        2000,
        pattern="gpt4o",
        supermerges=False,
        deletion=None,
        special_tokens=SPECIAL,
    )
    return tok.as_tiktoken("plain")


@pytest.fixture(scope="module")
def real(adapter: TiktokenAdapter) -> tiktoken.Encoding:
    vocabulary = adapter.tokenizer._model.vocabulary()
    return tiktoken.Encoding(
        "plain",
        pat_str=adapter._pat_str,
        mergeable_ranks={token: id for id, token in vocabulary},
        special_tokens=adapter.tokenizer.special_tokens,
    )


def outcome(call: Callable[[Any], Any], encoding: Any) -> Any:
    """Return the result of a call, or the type of its error."""
    try:
        result = call(encoding)
    except (KeyError, ValueError) as error:
        return KeyError if isinstance(error, KeyError) else ValueError
    return result.tolist() if isinstance(result, np.ndarray) else result


# As nanochat and similar code call them.
CALLS: dict[str, Callable[[Any], Any]] = {
    "n_vocab": lambda enc: enc.n_vocab,
    "max_token_value": lambda enc: enc.max_token_value,
    "eot_token": lambda enc: enc.eot_token,
    "special_tokens_set": lambda enc: enc.special_tokens_set,
    "name": lambda enc: enc.name,
    "repr": repr,
    "is_special_token": lambda enc: [enc.is_special_token(id) for id in (0, 1999, 2000, 2001)],
    "_special_tokens": lambda enc: enc._special_tokens,
    "_mergeable_ranks": lambda enc: enc._mergeable_ranks,
    "_encode_bytes": lambda enc: [enc._encode_bytes(text) for text in BROKEN],
    "token_byte_values": lambda enc: enc.token_byte_values(),
    "encode_ordinary": lambda enc: [enc.encode_ordinary(text) for text in TEXTS],
    "encode_ordinary_batch": lambda enc: enc.encode_ordinary_batch(TEXTS, num_threads=2),
    "encode": lambda enc: [enc.encode(text) for text in TEXTS[:3]],
    "encode refuses": lambda enc: enc.encode(TEXTS[3]),
    "encode allows": lambda enc: enc.encode(TEXTS[3], allowed_special="all"),
    "encode allows some": lambda enc: enc.encode(TEXTS[3], allowed_special={"<|user|>"}),
    "encode some as text": lambda enc: enc.encode(
        TEXTS[3], allowed_special={"<|user|>"}, disallowed_special=()
    ),
    "encode repairs": lambda enc: enc.encode(TEXTS[4]),
    "encode_batch": lambda enc: enc.encode_batch(TEXTS[:3]),
    "encode_batch allows": lambda enc: enc.encode_batch(
        TEXTS, num_threads=1, allowed_special="all"
    ),
    "encode_batch as text": lambda enc: enc.encode_batch(TEXTS, disallowed_special=()),
    "encode_batch refuses": lambda enc: enc.encode_batch(TEXTS),
    "encode_to_numpy": lambda enc: enc.encode_to_numpy(TEXTS[2]),
    "encode_to_numpy allows": lambda enc: enc.encode_to_numpy(TEXTS[3], allowed_special="all"),
    "encode_single_token": lambda enc: enc.encode_single_token(" the"),
    "encode_single_token of bytes": lambda enc: enc.encode_single_token(b"\xff"),
    "encode_single_token, special": lambda enc: enc.encode_single_token("<|user|>"),
    "encode_single_token, special bytes": lambda enc: enc.encode_single_token(b"<|user|>"),
    "encode_single_token, unknown": lambda enc: enc.encode_single_token("no such token"),
    "decode": lambda enc: enc.decode([300, 2001, 0xC3]),
    "decode strictly": lambda enc: enc.decode([300, 2001, 0xC3], errors="strict"),
    "decode, unknown": lambda enc: enc.decode([5000]),
    "decode_bytes": lambda enc: enc.decode_bytes([300, 2001, 0xC3]),
    "decode_single_token_bytes": lambda enc: [
        enc.decode_single_token_bytes(id) for id in range(enc.n_vocab)
    ],
    "decode_single_token_bytes, unknown": lambda enc: enc.decode_single_token_bytes(2002),
    "decode_tokens_bytes": lambda enc: enc.decode_tokens_bytes([300, 2001, 0xC3]),
    "decode_batch": lambda enc: enc.decode_batch([[300], [], [0xC3]]),
    "decode_bytes_batch": lambda enc: enc.decode_bytes_batch([[300], [], [0xC3]]),
    "decode_with_offsets, broken": lambda enc: enc.decode_with_offsets([300, 0xC3]),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_same_call_gives_the_same(
    adapter: TiktokenAdapter, real: tiktoken.Encoding, name: str
) -> None:
    assert outcome(CALLS[name], adapter) == outcome(CALLS[name], real)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_texts_are_encoded_alike(
    adapter: TiktokenAdapter, real: tiktoken.Encoding, text: str
) -> None:
    ids = adapter.encode_ordinary(text)
    assert ids == real.encode_ordinary(text)
    assert adapter.decode_with_offsets(ids) == real.decode_with_offsets(ids)
    assert adapter.encode_to_numpy(text).dtype == np.uint32


broken = st.lists(
    st.sampled_from([b"\xec", b"\x8b", b" ", b"\n", b"t", b"he", b" the", b"\xff", b"1"])
)


@given(st.one_of(st.binary(), broken.map(b"".join)))
def test_bytes_are_encoded_alike(
    adapter: TiktokenAdapter, real: tiktoken.Encoding, data: bytes
) -> None:
    ids = adapter._encode_bytes(data)
    assert ids == real._encode_bytes(data)
    assert adapter.decode_bytes(ids) == data


@given(st.lists(st.integers(0, 2001)))
def test_ids_are_decoded_alike(
    adapter: TiktokenAdapter, real: tiktoken.Encoding, ids: list[int]
) -> None:
    assert adapter.decode(ids) == real.decode(ids)
    assert adapter.decode_bytes(ids) == real.decode_bytes(ids)


def test_it_is_pickled_by_value(adapter: TiktokenAdapter) -> None:
    copy = pickle.loads(pickle.dumps(adapter))
    assert copy == adapter
    assert hash(copy) == hash(adapter)
    assert copy.encode("to be") == adapter.encode("to be")
    assert copy != adapter.tokenizer.as_tiktoken("another")


KINDS: dict[str, dict[str, Any]] = {
    "BPE": {"supermerges": False, "deletion": None},
    "PickyBPE": {"supermerges": False, "tau": 0.7},
    "BoundlessBPE": {},
    "SuperBPE": {"supermerges": False, "deletion": None, "transition": 400},
}


@pytest.mark.parametrize("kind", KINDS)
def test_an_encoding_made_of_its_parts_gives_its_ids_or_is_refused(kind: str) -> None:
    documents = [*superword.sample()][:30]
    tok = superword.train(documents, 600, special_tokens=SPECIAL, **KINDS[kind])
    adapter = tok.as_tiktoken()
    for data in (b"", b"of the\xff\xfe day", "猫".encode()[:2], b"\x80" * 9):
        assert adapter.decode_bytes(adapter._encode_bytes(data)) == data
    if kind in ("PickyBPE", "BoundlessBPE"):
        with pytest.raises(
            AttributeError, match=r"no tiktoken\.Encoding gives the ids of this model"
        ):
            adapter._mergeable_ranks  # noqa: B018
        return
    # As tiktoken's own test of pickling makes one.
    made = tiktoken.Encoding(
        "made",
        pat_str=adapter._pat_str,
        mergeable_ranks=adapter._mergeable_ranks,
        special_tokens={**adapter._special_tokens, "<|pickle|>": 100_000},
    )
    for text in documents:
        assert made.encode_ordinary(text) == tok.encode_ordinary(text)


def test_a_model_of_superwords_has_it_too() -> None:
    tok = superword.train(["to be or not to be", "to be"], 259)
    adapter = tok.as_tiktoken()
    assert adapter.encode("to be") == tok.encode("to be") == [258]
    assert adapter.n_vocab == 259
    with pytest.raises(KeyError):
        adapter.eot_token  # noqa: B018
