"""Every method that encodes or decodes: what it gives, what it takes, and what it refuses."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import superword
from superword import SpecialTokenError, Tokenizer, UnknownTokenError
from superword.tokenizer import Parameters

SPECIAL = ["<|end|>", "<|pad|>", "<|end|>ing"]


@cache
def made(*special: str) -> Tokenizer:
    """A model of the sample: superwords, deletions, tokens that are parts of characters."""
    lines = [text.replace(", ", ",\n") for text in superword.sample()]
    documents = [*lines[::12], "“naïve café” … 日本語 日本" * 20]
    return superword.train(documents, 1500, tau=0.7, special_tokens=special)


@pytest.fixture
def tok() -> Tokenizer:
    return made()


@pytest.fixture
def special() -> Tokenizer:
    return made(*SPECIAL)


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
def test_decoding_gives_the_text_back(text: str) -> None:
    tok = made()
    assert tok.decode(tok.encode(text)) == text
    assert tok.decode(tok.encode(text), errors="strict") == text


@given(texts)
def test_all_ways_to_encode_agree(text: str) -> None:
    tok = made()
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


def test_a_special_token_in_a_text_is_refused_with_the_ways_out(special: Tokenizer) -> None:
    with pytest.raises(SpecialTokenError) as refused:
        special.encode("and<|pad|>")
    assert str(refused.value) == (
        "character 3 of the text begins '<|pad|>', which is a special token. To encode it as one, "
        "pass allowed_special={'<|pad|>', ...} or 'all'. To encode it as the text that it is, pass "
        "disallowed_special=(), or call encode_ordinary"
    )
    with pytest.raises(SpecialTokenError, match="character 0 of the text begins"):
        special.encode_batch(["and", "<|end|>"])
    assert isinstance(refused.value, ValueError)


def test_special_tokens_are_encoded_where_they_are_allowed(special: Tokenizer) -> None:
    end, pad, ending = special.special_tokens.values()
    assert [end, pad, ending] == list(range(special.vocab_size, special.vocab_size + 3))
    ordinary = special.encode_ordinary
    text = " and<|end|> of the<|pad|><|pad|>"
    both = [*ordinary(" and"), end, *ordinary(" of the"), pad, pad]
    assert special.encode(text, allowed_special="all") == both
    assert special.encode(text, allowed_special={"<|end|>", "<|pad|>"}) == both
    assert special.encode_batch([text, "", " and"], allowed_special="all") == [
        both,
        [],
        ordinary(" and"),
    ]
    assert special.decode(both) == text
    # Of two that begin alike, the longer one.
    assert special.encode("<|end|>ing", allowed_special="all") == [ending]
    assert special.encode("<|end|>ing", allowed_special=["<|end|>"], disallowed_special=()) == [
        end,
        *ordinary("ing"),
    ]


def test_special_tokens_that_are_not_allowed_are_text_if_nothing_is_disallowed(
    special: Tokenizer,
) -> None:
    end = special.special_tokens["<|end|>"]
    text = " and<|pad|><|end|>"
    assert special.encode(text, disallowed_special=()) == special.encode_ordinary(text)
    assert special.encode_batch([text], disallowed_special=()) == [special.encode_ordinary(text)]
    assert special.encode(text, allowed_special={"<|end|>"}, disallowed_special=()) == [
        *special.encode_ordinary(" and<|pad|>"),
        end,
    ]
    # By default, those that are not allowed are disallowed.
    with pytest.raises(SpecialTokenError, match=r"'<\|pad\|>'"):
        special.encode(text, allowed_special={"<|end|>"})
    assert special.decode(special.encode_ordinary(text)) == text


def test_texts_of_one_s_own_can_be_disallowed(tok: Tokenizer, special: Tokenizer) -> None:
    for tokenizer in (tok, special):
        with pytest.raises(SpecialTokenError, match="'secret'"):
            tokenizer.encode("a secret", disallowed_special={"secret"})
        with pytest.raises(SpecialTokenError, match="'secret'"):
            tokenizer.encode_batch(["a", "a secret"], disallowed_special=["secret"])
    # What is allowed and no special token is ignored.
    assert tok.encode("<|end|>", allowed_special={"<|end|>"}) == tok.encode_ordinary("<|end|>")


def test_a_string_in_the_place_of_a_set_is_refused(special: Tokenizer) -> None:
    with pytest.raises(TypeError, match=r"\{'<\|end\|>'\}"):
        special.encode("a", allowed_special="<|end|>")
    with pytest.raises(TypeError, match="'all' or a set"):
        special.encode_batch(["a"], disallowed_special="<|end|>")


@settings(max_examples=50)
@given(st.lists(texts | st.sampled_from(SPECIAL), max_size=6))
def test_special_tokens_divide_a_text(parts: list[str]) -> None:
    tok = made(*SPECIAL)
    text = "".join(parts)
    ids = tok.encode(text, allowed_special="all")
    assert tok.decode(ids) == text
    assert tok.encode_batch([text], allowed_special="all") == [ids]
    assert tok.encode_ordinary(text) == tok.encode(text, disallowed_special=())
    expected: list[int] = []
    rest = text
    while rest:
        found = [(rest.index(name), -len(name), name) for name in SPECIAL if name in rest]
        place, _, name = min(found, default=(len(rest), 0, ""))
        expected += tok.encode_ordinary(rest[:place])
        expected += [tok.special_tokens[name]] if name else []
        rest = rest[place + len(name) :]
    assert ids == expected


def test_batches_to_arrays(tok: Tokenizer) -> None:
    batch = [TEXT, "", " of the", ""]
    ids, offsets = tok.encode_batch_to_numpy(batch)
    assert ids.dtype == np.uint32
    assert offsets.dtype == np.uint64
    assert offsets.tolist() == [0, *np.cumsum([len(tok.encode(text)) for text in batch]).tolist()]
    parts = [ids[offsets[i] : offsets[i + 1]].tolist() for i in range(len(batch))]
    assert parts == tok.encode_batch(batch)
    for array in (ids, offsets):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    assert tok.encode_to_numpy(TEXT).tolist() == tok.encode(TEXT)


def test_arrays_of_nothing(tok: Tokenizer) -> None:
    for batch, starts in ([], [0]), (["", ""], [0, 0, 0]):
        ids, offsets = tok.encode_batch_to_numpy(batch)
        assert ids.dtype == np.uint32
        assert (ids.tolist(), offsets.tolist()) == ([], starts)
    assert tok.encode_to_numpy("").shape == (0,)
    assert tok.encode_batch([]) == [] == tok.encode_ordinary_batch([])
    assert tok.encode_batch(["", ""]) == [[], []]


def test_an_array_outlives_what_made_it(tok: Tokenizer) -> None:
    ids = pickle.loads(pickle.dumps(tok)).encode_to_numpy(TEXT * 100)
    assert ids.tolist() == tok.encode(TEXT * 100)


def test_special_tokens_are_text_in_arrays_offsets_and_counts(special: Tokenizer) -> None:
    ids = special.encode_ordinary("<|end|>")
    assert special.encode_to_numpy("<|end|>").tolist() == ids
    assert special.encode_bytes(b"<|end|>") == ids
    assert special.encode_with_offsets("<|end|>")[0] == ids
    assert special.count_tokens("<|end|>") == len(ids)
    assert "".join(special.tokens("<|end|>")) == "<|end|>"


@given(texts)
def test_offsets_say_where_tokens_are(text: str) -> None:
    tok = made()
    data = text.encode()
    ids, (in_bytes, in_characters) = tok.encode_with_offsets(text)
    assert [data[start:end] for start, end in in_bytes] == [tok.token_bytes(id) for id in ids]
    ends = [0, *(end for _, end in in_bytes)]
    assert [start for start, _ in in_bytes] == ends[:-1]
    assert ends[-1] == len(data)
    # By character: in which bytes it is.
    places = [len(text[:index].encode()) for index in range(len(text) + 1)]
    for (start, end), characters in zip(in_bytes, in_characters, strict=True):
        touched = [i for i in range(len(text)) if places[i] < end and start < places[i + 1]]
        assert characters == (touched[0], touched[-1] + 1)


def test_offsets_have_names(tok: Tokenizer) -> None:
    ids, offsets = tok.encode_with_offsets("日 and")
    assert isinstance(offsets, superword.Offsets)
    assert offsets.bytes[-1] == (3, 7)
    assert offsets.characters[-1] == (1, 5)
    assert tok.encode_with_offsets("") == ([], ([], []))
    assert len(ids) == len(offsets.bytes) == len(offsets.characters)


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
def test_decode_bytes_takes_any_ids(ids: list[int]) -> None:
    tok = made(*SPECIAL)
    data = tok.decode_bytes(ids)
    assert data == b"".join(map(tok.token_bytes, ids))
    assert tok.decode(ids) == data.decode("utf-8", "replace")
    assert tok.decode_batch([ids], errors="ignore") == [data.decode("utf-8", "ignore")]
    assert tok.decode_bytes(tok.encode_bytes(data)) == data


def test_bytes_that_are_no_text_are_decoded_as_asked(tok: Tokenizer) -> None:
    ids = [*tok.encode("é")[:1], 0xE6, 97]
    assert tok.decode(ids[1:]) == "\N{REPLACEMENT CHARACTER}a"
    assert tok.decode(ids[1:], errors="ignore") == "a"
    assert tok.decode(ids[1:], errors="backslashreplace") == "\\xe6a"
    with pytest.raises(UnicodeDecodeError):
        tok.decode(ids[1:], errors="strict")


@pytest.mark.parametrize("id", [-1, 1500, 2**32 - 1, 2**32, -(2**31), 2**70])
def test_an_unknown_id_is_refused_by_name(tok: Tokenizer, id: int) -> None:
    message = f"no token has the id {id}, which is at place 1; ids of this model go up to 1499"
    for ids in ([97, id], iter([97, id]), (97, id)):
        with pytest.raises(UnknownTokenError, match=message):
            tok.decode_bytes(ids)
    with pytest.raises(KeyError, match=str(id)):
        tok.decode([id])
    with pytest.raises(UnknownTokenError, match=message):
        tok.decode_batch([[97], [97, id]])
    with pytest.raises(UnknownTokenError, match=str(id)):
        tok.decode_stream().feed(id)


def test_what_is_no_id_is_refused(tok: Tokenizer) -> None:
    for ids in (["a"], [1.5], [None], "text", 7, [[1]]):
        with pytest.raises(TypeError):
            tok.decode_bytes(ids)  # type: ignore[arg-type]


@given(texts)
def test_a_stream_gives_text_as_soon_as_it_is_whole(text: str) -> None:
    tok = made()
    stream, ids, given = tok.decode_stream(), tok.encode(text), ""
    for count, id in enumerate(ids, 1):
        given += stream.feed(id)
        assert given == tok.decode_bytes(ids[:count]).decode("utf-8", "ignore")
    assert given + stream.finish() == text


@given(st.lists(st.integers(0, 255), max_size=12), st.sampled_from(["replace", "ignore"]))
def test_a_stream_of_any_ids_gives_what_decode_gives(ids: list[int], errors: str) -> None:
    tok = made()
    stream = tok.decode_stream(errors)
    assert isinstance(stream, superword.DecodeStream)
    text = "".join(map(stream.feed, ids)) + stream.finish()
    assert text == tok.decode(ids, errors)


def test_tokens_are_for_people(tok: Tokenizer) -> None:
    assert tok.tokens(" of the day") == [" of the", " day"]
    assert tok.tokens("\U0001f600") == ["\\xf0", "\\x9f", "\\x98", "\\x80"]


@given(st.lists(st.binary(max_size=4) | texts.map(str.encode), max_size=8).map(b"".join))
def test_any_bytes_come_back(data: bytes) -> None:
    tok = made()
    ids = tok.encode_bytes(data)
    assert tok.decode_bytes(ids) == data
    # What is no UTF-8 stands alone, and what is between is encoded as a text of its own.
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
    with pytest.raises(TypeError):
        tok.encode(b"bytes")  # type: ignore[arg-type]


def test_texts_come_in_many_forms(tok: Tokenizer) -> None:
    expected = [tok.encode("of"), tok.encode(" the")]
    for texts in ["of", " the"], ("of", " the"), iter(["of", " the"]), {"of": 1, " the": 2}:
        assert tok.encode_batch(texts) == expected


def test_a_string_for_texts_is_refused_where_special_tokens_are_allowed(
    special: Tokenizer,
) -> None:
    with pytest.raises(TypeError, match="list of strings"):
        special.encode_batch("of the", allowed_special="all")


def test_threads_change_nothing(tok: Tokenizer) -> None:
    batch = [text[:3000] for text in superword.sample()] * 2
    one = tok.encode_batch_to_numpy(batch, threads=1)
    for threads in (2, 8, None):
        many = tok.encode_batch_to_numpy(batch, threads=threads)
        assert np.array_equal(one[0], many[0])
        assert np.array_equal(one[1], many[1])
    assert tok.encode_batch(batch, threads=3) == [tok.encode(text) for text in batch]


def test_a_huge_text_is_shared_among_threads_without_a_trace(tok: Tokenizer) -> None:
    novels = "\n\n".join(superword.sample())[: 3 << 19]
    # With ends of lines where it may be divided, and without any.
    for text in (novels.replace(", ", ",\n"), novels.replace("\n", " ")):
        one, _ = tok.encode_batch_to_numpy([text], threads=1)
        for threads in (2, 8):
            many, offsets = tok.encode_batch_to_numpy(["a", text, ""], threads=threads)
            assert np.array_equal(many[1:], one)
            assert offsets.tolist() == [0, 1, len(many), len(many)]
        assert tok.encode(text) == one.tolist()
        assert tok.count_tokens(text) == len(one)
    assert tok.decode(one) == text
    data = text.encode() + b"\xff\n" + text.encode()
    assert tok.decode_bytes(tok.encode_bytes(data)) == data


def test_an_error_on_another_thread_is_raised() -> None:
    tok = Tokenizer._from_rules([], Parameters(pattern="b|(?:(?=a)a|(?=a)a)+$b"))
    batch = ["ab"] * 500 + ["a" * 60] + ["ab"] * 500
    for threads in (1, 4):
        with pytest.raises(superword.PatternError, match="backtracking"):
            tok.encode_batch(batch, threads=threads)
        assert tok.encode_batch(["ab"], threads=threads) == [[97, 98]]


def test_many_threads_may_use_one_tokenizer() -> None:
    tok = pickle.loads(pickle.dumps(made()))
    batch = [text[:2000] for text in superword.sample()][:60]
    expected = [made().encode(text) for text in batch]
    start = threading.Barrier(8)

    def work(_: int) -> bool:
        start.wait()
        is_equal = [tok.encode(text) for text in batch] == expected
        return is_equal and tok.encode_batch(batch, threads=2) == expected

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


def test_a_tokenizer_is_pickled_by_value_and_copied_for_nothing(special: Tokenizer) -> None:
    again = pickle.loads(pickle.dumps(special))
    assert again == special and again is not special
    assert again.encode(TEXT) == special.encode(TEXT)
    assert again.special_tokens == special.special_tokens
    assert copy.copy(special) is special
    assert copy.deepcopy({"tok": special})["tok"] is special


def encode_in_worker(tok: Tokenizer, batch: list[str]) -> list[list[int]]:
    return tok.encode_batch(batch, threads=2)


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_encode_alike(tok: Tokenizer, method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    batch = [text[:500] for text in superword.sample()][:20]
    expected = tok.encode_batch(batch, threads=4)
    with multiprocessing.get_context(method).Pool(2) as pool:
        results = pool.starmap(encode_in_worker, [(tok, batch)] * 4)
    assert results == [expected] * 4


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_fork_while_other_threads_encode_does_not_hang(tok: Tokenizer) -> None:
    text = next(iter(superword.sample()))[:100_000]
    expected = tok.encode(text)
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            tok.encode_batch([text[:2000]] * 10, threads=2)

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    try:
        context = multiprocessing.get_context("fork")
        for _ in range(5):
            queue = context.SimpleQueue()
            process = context.Process(target=lambda q=queue: q.put(tok.encode(text)))
            process.start()
            assert queue.get() == expected
            process.join(60)
            assert process.exitcode == 0
    finally:
        stop.set()
        for worker in workers:
            worker.join()


def test_what_was_met_before_changes_nothing() -> None:
    """The cache is full and emptied on the way, with words in it that come again."""
    random = Random(1)
    tok, fresh = pickle.loads(pickle.dumps(made())), made()
    letters = random.choices("abcdefghijklmnopqrstuvwxyz", k=5_400_000)
    words = [" " + "".join(letters[at : at + 9]) for at in range(0, len(letters), 9)]
    again = "".join(words[:300])
    expected = fresh.encode_ordinary(again)
    for start in range(0, len(words), 10_000):
        ids = tok.encode_to_numpy(again + "".join(words[start : start + 10_000]))
        assert ids[: len(expected)].tolist() == expected, start
    text = "".join(words[-20_000:]) + TEXT + "x" * 300 + again
    assert tok.encode_ordinary(text) == fresh.encode_ordinary(text)


def test_a_model_without_a_byte_says_which_it_needs() -> None:
    import json

    file = json.loads(Tokenizer._from_rules([], Parameters())._model.to_json())
    file["vocabulary"] = [entry for entry in file["vocabulary"] if entry[1] != "z"]
    tok = Tokenizer._from_json(json.dumps(file).encode())
    assert tok.encode("abc") == [97, 98, 99]
    with pytest.raises(UnknownTokenError, match="no id for the byte 0x7A"):
        tok.encode("abcz")
    with pytest.raises(UnknownTokenError, match="no token has the id 122"):
        tok.decode([122])


def test_further_special_tokens_get_the_next_ids(special: Tokenizer) -> None:
    more = special.with_special_tokens(["<|user|>", "<|bot|>"])
    assert list(more.special_tokens) == [*SPECIAL, "<|user|>", "<|bot|>"]
    assert list(more.special_tokens.values()) == list(range(1500, 1505))
    assert more.encode("<|user|> of the<|end|>", allowed_special="all") == [
        1503,
        *special.encode(" of the"),
        1500,
    ]
    assert more.token_bytes(1504) == b"<|bot|>"
    assert more.decode([1504, 97]) == "<|bot|>a"
    assert not more.is_superword(1504)
    assert list(special.special_tokens) == SPECIAL
    assert more != special and more.fingerprint != special.fingerprint
    assert more == made(*SPECIAL, "<|user|>", "<|bot|>")
    assert special.with_special_tokens([]) == special
    assert more.truncate(1000).special_tokens["<|bot|>"] == 1004


def test_special_tokens_are_saved_with_the_model(tok: Tokenizer, tmp_path: Path) -> None:
    more = tok.with_special_tokens(["<|end|>"], pad_to_multiple_of=64)
    more.save(tmp_path / "model.json")
    loaded = superword.load(tmp_path / "model.json")
    assert loaded == more
    assert loaded.special_tokens == more.special_tokens
    assert loaded.decode(range(1500, 1503)) == "<|end|><|reserved_0|><|reserved_1|>"


@pytest.mark.parametrize("multiple", [1, 2, 7, 64, 128, 1500, 1501, 4096])
def test_ids_are_padded_to_a_multiple(tok: Tokenizer, multiple: int) -> None:
    padded = tok.with_special_tokens(["<|end|>"], pad_to_multiple_of=multiple)
    total = padded.vocab_size + len(padded.special_tokens)
    assert total % multiple == 0
    assert total - 1501 < multiple
    assert list(padded.special_tokens) == [
        "<|end|>",
        *(f"<|reserved_{number}|>" for number in range(total - 1501)),
    ]
    assert padded.with_special_tokens([], pad_to_multiple_of=multiple) == padded


def test_reserved_names_that_are_taken_are_skipped(tok: Tokenizer) -> None:
    first = tok.with_special_tokens(["<|reserved_1|>"], pad_to_multiple_of=1504)
    assert list(first.special_tokens) == [
        "<|reserved_1|>",
        "<|reserved_0|>",
        "<|reserved_2|>",
        "<|reserved_3|>",
    ]
    again = first.with_special_tokens(["new"], pad_to_multiple_of=1507)
    assert list(again.special_tokens)[4:] == ["new", "<|reserved_4|>", "<|reserved_5|>"]


def test_special_tokens_that_make_no_sense_are_refused(special: Tokenizer) -> None:
    with pytest.raises(ValueError, match=r'the special token "<\|end\|>" is there twice'):
        special.with_special_tokens(["<|end|>"])
    with pytest.raises(ValueError, match="is there twice"):
        special.with_special_tokens(["new", "new"])
    with pytest.raises(ValueError, match="the special token with the id 1503 is empty"):
        special.with_special_tokens([""])
    with pytest.raises(TypeError, match=r"\['<\|end\|>'\]"):
        special.with_special_tokens("<|end|>")
    for multiple in (0, -1, 2**17, 2**70):
        with pytest.raises(ValueError, match="pad_to_multiple_of must be"):
            special.with_special_tokens([], pad_to_multiple_of=multiple)


def test_many_special_tokens_are_found_by_their_ids(tok: Tokenizer) -> None:
    many = tok.with_special_tokens(map("<{}>".format, range(50_000)))
    ids = list(range(1500, 51_500))
    assert many.decode(ids[::-1]) == "".join(f"<{number}>" for number in reversed(range(50_000)))
