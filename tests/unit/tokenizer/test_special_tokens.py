"""Special tokens: where they are encoded, where they are text, and how they are added."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import superword
from superword import SpecialTokenError, Tokenizer

SPECIAL = ["<|end|>", "<|pad|>", "<|end|>ing"]


def test_a_special_token_in_a_text_is_refused_with_the_ways_out(special: Tokenizer) -> None:
    with pytest.raises(SpecialTokenError) as refused:
        special.encode("and<|pad|>")
    assert str(refused.value) == (
        "the text spells the special token '<|pad|>' at character 3. To encode it as one, "
        "pass allowed_special={'<|pad|>', ...} or 'all'. To encode it as ordinary text, pass "
        "disallowed_special=(), or call encode_ordinary"
    )
    with pytest.raises(SpecialTokenError, match="'<\\|end\\|>' at character 0"):
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
    # Of two with a common start, the longer one.
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
    # Allowed texts that are not special tokens are ignored.
    assert tok.encode("<|end|>", allowed_special={"<|end|>"}) == tok.encode_ordinary("<|end|>")


def test_a_string_instead_of_a_set_is_rejected(special: Tokenizer) -> None:
    with pytest.raises(TypeError, match=r"\{'<\|end\|>'\}"):
        special.encode("a", allowed_special="<|end|>")
    with pytest.raises(TypeError, match="'all' or a set"):
        special.encode_batch(["a"], disallowed_special="<|end|>")


@settings(max_examples=50)
@given(st.lists(st.text(max_size=12) | st.sampled_from(SPECIAL), max_size=6))
def test_special_tokens_divide_a_text(special: Tokenizer, parts: list[str]) -> None:
    text = "".join(parts)
    ids = special.encode(text, allowed_special="all")
    assert special.decode(ids) == text
    assert special.encode_batch([text], allowed_special="all") == [ids]
    assert special.encode_ordinary(text) == special.encode(text, disallowed_special=())
    expected: list[int] = []
    rest = text
    while rest:
        found = [(rest.index(name), -len(name), name) for name in SPECIAL if name in rest]
        start, _, name = min(found, default=(len(rest), 0, ""))
        expected += special.encode_ordinary(rest[:start])
        expected += [special.special_tokens[name]] if name else []
        rest = rest[start + len(name) :]
    assert ids == expected


def test_special_tokens_are_text_in_arrays_offsets_and_counts(special: Tokenizer) -> None:
    ids = special.encode_ordinary("<|end|>")
    assert special.encode_to_numpy("<|end|>").tolist() == ids
    assert special.encode_bytes(b"<|end|>") == ids
    assert special.encode_with_offsets("<|end|>")[0] == ids
    assert special.count_tokens("<|end|>") == len(ids)
    assert "".join(special.tokens("<|end|>")) == "<|end|>"


def test_a_string_for_texts_is_refused_where_special_tokens_are_allowed(
    special: Tokenizer,
) -> None:
    with pytest.raises(TypeError, match="list of strings"):
        special.encode_batch("of the", allowed_special="all")


def test_further_special_tokens_get_the_next_ids(
    special: Tokenizer, made: Callable[[list[str]], Tokenizer]
) -> None:
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
    assert more == made([*SPECIAL, "<|user|>", "<|bot|>"])
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


def test_invalid_special_tokens_are_rejected(special: Tokenizer) -> None:
    with pytest.raises(ValueError, match=r'the special token "<\|end\|>" is repeated'):
        special.with_special_tokens(["<|end|>"])
    with pytest.raises(ValueError, match="is repeated"):
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
