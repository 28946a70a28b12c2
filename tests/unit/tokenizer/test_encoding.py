"""Every method that encodes: results, arguments and errors."""

from __future__ import annotations

import pickle
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import superword
from superword import Tokenizer, UnknownTokenError
from superword.interop import import_tokenizer
from superword.tokenizer import TrainingConfig

TEXT = "It was the end of the day. “Naïve” 日本語!\n\n  12345 cafés\n"

pieces = st.sampled_from(
    ["the", " of the", " and", "é", "日本", "“", "\n", " ", "1234", "'s", "\0"]
)
texts = st.lists(pieces | st.characters(exclude_categories=["Cs"]), max_size=12).map("".join)


def test_encode_gives_ids_of_tokens_that_make_up_the_text(tok: Tokenizer) -> None:
    ids = tok.encode(TEXT)
    assert all(type(id) is int for id in ids)
    assert b"".join(map(tok.token_bytes, ids)) == TEXT.encode()
    assert any(map(tok.is_superword, ids))
    assert tok.encode("") == []


@given(texts)
def test_all_ways_to_encode_agree(tok: Tokenizer, text: str) -> None:
    ids = tok.encode(text)
    assert tok.encode_ordinary(text) == ids
    assert tok.encode_batch([text, text]) == [ids, ids]
    assert tok.encode_ordinary_batch([text], threads=2) == [ids]
    assert tok.encode_bytes(text.encode()) == ids
    assert tok.encode_to_numpy(text).tolist() == ids
    assert tok.encode_with_offsets(text)[0] == ids
    assert tok.count_tokens(text) == len(ids)
    assert len(tok.tokens(text)) == len(ids)
    assert [token for unit in tok.explain(text)[-1].units for token in unit] == [
        tok.token_bytes(id) for id in ids
    ]


def test_batches_to_arrays(tok: Tokenizer) -> None:
    batch = [TEXT, "", " of the", ""]
    ids, offsets = tok.encode_batch_to_numpy(batch)
    assert ids.dtype == np.uint32
    assert offsets.dtype == np.uint64
    assert offsets.tolist() == [0, *np.cumsum([len(tok.encode(text)) for text in batch]).tolist()]
    parts = [ids[offsets[i] : offsets[i + 1]].tolist() for i in range(len(batch))]
    assert parts == tok.encode_batch(batch)
    for array in (ids, offsets):
        array += 1
    again, _ = tok.encode_batch_to_numpy(batch)
    assert again.tolist() == (ids - 1).tolist()  # The arrays of two calls share no memory.


def test_arrays_of_nothing(tok: Tokenizer) -> None:
    for batch, starts in ([], [0]), (["", ""], [0, 0, 0]):
        ids, offsets = tok.encode_batch_to_numpy(batch)
        assert ids.dtype == np.uint32
        assert (ids.tolist(), offsets.tolist()) == ([], starts)
    assert tok.encode_to_numpy("").shape == (0,)
    assert tok.encode_batch([]) == [] == tok.encode_ordinary_batch([])
    assert tok.encode_batch(["", ""]) == [[], []]


def test_an_array_outlives_its_tokenizer(tok: Tokenizer) -> None:
    ids = pickle.loads(pickle.dumps(tok)).encode_to_numpy(TEXT * 100)
    assert ids.tolist() == tok.encode(TEXT * 100)


@given(texts)
def test_offsets_say_where_tokens_are(tok: Tokenizer, text: str) -> None:
    data = text.encode()
    ids, (in_bytes, in_characters) = tok.encode_with_offsets(text)
    assert [data[start:end] for start, end in in_bytes] == [tok.token_bytes(id) for id in ids]
    ends = [0, *(end for _, end in in_bytes)]
    assert [start for start, _ in in_bytes] == ends[:-1]
    assert ends[-1] == len(data)
    # The bytes of each character.
    starts = [len(text[:index].encode()) for index in range(len(text) + 1)]
    for (start, end), characters in zip(in_bytes, in_characters, strict=True):
        touched = [i for i in range(len(text)) if starts[i] < end and start < starts[i + 1]]
        assert characters == (touched[0], touched[-1] + 1)


def test_offsets_have_names(tok: Tokenizer) -> None:
    ids, offsets = tok.encode_with_offsets("日 and")
    assert isinstance(offsets, superword.Offsets)
    assert offsets.bytes[-1] == (3, 7)
    assert offsets.characters[-1] == (1, 5)
    assert tok.encode_with_offsets("") == ([], ([], []))
    assert len(ids) == len(offsets.bytes) == len(offsets.characters)


def test_tokens_are_for_people(tok: Tokenizer) -> None:
    assert tok.tokens(" of the day") == [" of the", " day"]
    assert tok.tokens("\U0001f600") == ["\\xf0", "\\x9f", "\\x98", "\\x80"]


@given(st.lists(st.binary(max_size=4) | texts.map(str.encode), max_size=8).map(b"".join))
def test_any_bytes_round_trip(tok: Tokenizer, data: bytes) -> None:
    ids = tok.encode_bytes(data)
    assert tok.decode_bytes(ids) == data
    # Bytes that are not UTF-8 stand alone. The text between them is encoded separately.
    expected: list[int] = []
    for part in split_at_invalid(data):
        expected += tok.encode(part) if isinstance(part, str) else [part]
    assert ids == expected


def split_at_invalid(data: bytes) -> Iterator[str | int]:
    while data:
        try:
            yield data.decode()
            return
        except UnicodeDecodeError as error:
            yield data[: error.start].decode()
            yield from data[error.start : error.end]
            data = data[error.end :]


def test_bytes_can_be_any_buffer(tok: Tokenizer) -> None:
    assert tok.encode_bytes(bytearray(b" of the\xff")) == [*tok.encode(" of the"), 0xFF]


@pytest.mark.parametrize(
    "encode",
    [
        Tokenizer.encode,
        Tokenizer.encode_ordinary,
        Tokenizer.encode_to_numpy,
        Tokenizer.encode_with_offsets,
        Tokenizer.count_tokens,
        Tokenizer.tokens,
        Tokenizer.explain,
        lambda tok, text: tok.encode_batch(["a", text]),
        lambda tok, text: tok.encode(text, allowed_special="all"),
    ],
)
def test_a_lone_surrogate_is_refused(special: Tokenizer, encode: Callable[..., Any]) -> None:
    with pytest.raises(UnicodeEncodeError, match="surrogates not allowed"):
        encode(special, "a\ud800b")


@pytest.mark.parametrize(
    "encode",
    [Tokenizer.encode_batch, Tokenizer.encode_ordinary_batch, Tokenizer.encode_batch_to_numpy],
)
def test_texts_are_several(tok: Tokenizer, encode: Callable[..., Any]) -> None:
    with pytest.raises(TypeError, match="list of strings; for a single string, call encode"):
        encode(tok, "of the")
    for wrong in ([b"bytes"], [1], [None], 5, b"bytes"):
        with pytest.raises(TypeError):
            encode(tok, wrong)
    for threads in (0, -1):
        with pytest.raises(ValueError, match="threads must be at least 1"):
            encode(tok, ["a"], threads=threads)


@pytest.mark.parametrize("method", ["encode_batch", "encode_batch_to_numpy"])
def test_an_object_in_a_batch_that_is_not_a_text_is_named(tok: Tokenizer, method: str) -> None:
    encode = getattr(tok, method)
    with pytest.raises(TypeError, match=r"texts\[1\] is of type 'int', not 'str'"):
        encode(["a", 3, "b"])
    with pytest.raises(UnicodeEncodeError, match="surrogates not allowed") as refused:
        encode(["a", "b", "c\ud800"])
    assert "in texts[2]" in refused.value.__notes__


@pytest.mark.parametrize("text", [3, b"a", None, ["a"]])
def test_an_object_that_is_not_a_text_is_rejected(tok: Tokenizer, text: Any) -> None:
    with pytest.raises(TypeError, match=f"a text must be a str, not {type(text).__name__}"):
        tok.encode(text)


def test_texts_come_in_many_forms(tok: Tokenizer) -> None:
    expected = [tok.encode("of"), tok.encode(" the")]
    for texts in ["of", " the"], ("of", " the"), iter(["of", " the"]), {"of": 1, " the": 2}:
        assert tok.encode_batch(texts) == expected


def test_a_model_without_a_byte_says_which_it_needs() -> None:
    import json

    file = json.loads(Tokenizer._from_rules([], TrainingConfig())._model.to_json())
    file["vocabulary"] = [entry for entry in file["vocabulary"] if entry[1] != "z"]
    tok = Tokenizer._from_json(json.dumps(file).encode())
    assert tok.encode("abc") == [97, 98, 99]
    with pytest.raises(UnknownTokenError, match="no id for the byte 0x7A"):
        tok.encode("abcz")
    with pytest.raises(UnknownTokenError, match="no token has the id 122"):
        tok.decode([122])


def test_an_array_is_writable_and_of_the_type_that_is_asked_for(tok: Tokenizer) -> None:
    ids = tok.encode(TEXT)
    array = tok.encode_to_numpy(TEXT)
    assert array.dtype == np.uint32
    array += 1
    assert array.tolist() == [id + 1 for id in ids]
    for dtype in (np.uint16, "int32", np.int64):
        array = tok.encode_to_numpy(TEXT, dtype=dtype)
        assert array.dtype == np.dtype(dtype)
        assert array.flags.writeable
        assert array.tolist() == ids
    assert tok.encode_to_numpy(TEXT).tolist() == ids  # None shares memory with another.


def test_a_type_that_cannot_hold_every_id_is_refused(tok: Tokenizer) -> None:
    with pytest.raises(ValueError, match="uint8 holds ids up to 255, and the largest id of this"):
        tok.encode_to_numpy("a", dtype=np.uint8)
    with pytest.raises(ValueError, match="dtype must be a type of integers, not float32"):
        tok.encode_to_numpy("a", dtype=np.float32)
    # 65,536 ids fit. One more does not.
    padding = 65_536 - len(tok)
    full = tok.with_special_tokens(f"<|{n}|>" for n in range(padding))
    assert full.encode_to_numpy("a", dtype=np.uint16).tolist() == tok.encode("a")
    with pytest.raises(ValueError, match="uint16 holds ids up to 65,535, .* is 65,536; use uint32"):
        full.with_special_tokens(["<|end|>"]).encode_to_numpy("a", dtype=np.uint16)


def test_len_counts_special_tokens_and_n_vocab_sizes_an_embedding(
    tok: Tokenizer, special: Tokenizer
) -> None:
    assert len(tok) == tok.vocab_size == tok.n_vocab
    assert len(special) == special.vocab_size + 3 == special.n_vocab
    assert max(special.special_tokens.values()) == special.n_vocab - 1
    assert len(special.bytes_per_token_id()) == special.n_vocab


def test_n_vocab_covers_the_gaps_of_imported_ids(tmp_path: Path) -> None:
    vocabulary = "".join(f"{b64encode(bytes([byte])).decode()} {2 * byte}\n" for byte in range(256))
    (tmp_path / "gaps.tiktoken").write_text(vocabulary)
    tok = import_tokenizer(
        tmp_path / "gaps.tiktoken", pattern="gpt2", special_tokens={"<|end|>": 1000}
    )
    assert (tok.vocab_size, len(tok), tok.n_vocab) == (256, 257, 1001)
    assert tok.as_tiktoken().n_vocab == 1001


@pytest.mark.parametrize("options", [{}, {"supermerges": False, "deletion": None}])
def test_a_long_text_is_explained_only_if_asked_for(options: dict[str, Any]) -> None:
    tok = superword.train(["to be or not to be", "to be"], 258, **options)
    short, long = "to be " * 600, "to be " * 700
    assert len(tok.explain(short)) > 2
    with pytest.raises(ValueError, match="4,200 bytes, .* explain takes up to 4,096"):
        tok.explain(long)
    assert tok.explain(long, limit=None) == list(tok.explain_steps(long))
    with pytest.raises(ValueError, match="8 bytes, .* explain takes up to 7"):
        tok.explain("to be é", limit=7)
    with pytest.raises(TypeError):
        tok.explain(b"to be")  # type: ignore[arg-type]


EXPLAIN = """
import resource, sys
import superword

def peak():
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit

tok = superword.load(sys.argv[1])
text = " ".join(superword.sample())[:200_000]
tok.encode(text)
before = peak()
steps = sum(1 for step in tok.explain_steps(text))
print(steps, peak() - before)
"""


def test_the_steps_of_a_long_text_need_memory_for_one(tmp_path: Path) -> None:
    superword.train(superword.sample(), 320).save(tmp_path / "model.json")
    done = subprocess.run(
        [sys.executable, "-c", EXPLAIN, tmp_path / "model.json"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    steps, memory = map(int, done.stdout.split())
    assert steps > 60
    # A list of them takes over 400 MB.
    assert memory < 60_000_000
