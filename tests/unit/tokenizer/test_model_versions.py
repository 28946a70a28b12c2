"""Version 2 of the model file: features that are required, and fields that are kept."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import superword
from superword import ModelFormatError, Tokenizer

# Without limits, which are a field of version 2.
TOK = superword.train(
    ["to be or not to be", "to be"], 259, max_superwords=None, special_tokens=["<|end|>"]
)


def file_of(tok: Tokenizer = TOK) -> dict[str, Any]:
    file: dict[str, Any] = json.loads(tok._model.to_json())
    return file


def version_2(**fields: Any) -> bytes:
    requires = ["added_tokens"] if "added_tokens" in fields else []
    return json.dumps(file_of() | {"version": 2, "requires": requires} | fields).encode()


def read(text: bytes) -> Tokenizer:
    return Tokenizer._from_json(text)


def written(tok: Tokenizer) -> bytes:
    return tok._model.to_json()


def test_a_model_that_needs_nothing_new_stays_version_1() -> None:
    assert file_of()["version"] == 1
    assert written(read(version_2())) == written(TOK)
    assert read(version_2()).fingerprint == TOK.fingerprint
    assert written(read(version_2(added_tokens=[]))) == written(TOK)


def test_models_of_before_have_the_same_bytes_and_fingerprint() -> None:
    before = Path(__file__).parents[2] / "data" / "before"
    model = (before / "transformers" / "superword.json").read_bytes()
    assert b'"version":1' in model
    assert written(read(model)) == model
    fingerprint = "f94b9b600289c14d288d595221de0ba74b74706f227dd71ec47cd828cf70bb2f"
    assert read(model).fingerprint == fingerprint
    tok = pickle.loads((before / "tokenizer.pickle").read_bytes())
    assert json.loads(written(tok))["version"] == 1


def test_added_tokens_are_a_required_field() -> None:
    tok = read(version_2(added_tokens=[[900, "  "]]))
    file = file_of(tok)
    assert file["version"] == 2 and file["requires"] == ["added_tokens"]
    assert list(file).index("added_tokens") == list(file).index("special_tokens") + 1
    assert written(read(written(tok))) == written(tok)


def test_unknown_optional_fields_are_kept_as_they_are_written() -> None:
    given = '{"b" : 1.0,\n "a": [1e400, "\\u00e9", 12345678901234567890123]}'
    text = version_2().decode()
    text = text.replace('"rules":', f'"notes":{given},"\\"quoted\\"":null,"rules":')
    tok = read(text.encode())
    assert json.loads(written(tok))["version"] == 2
    assert written(tok).endswith(f',\n"notes":{given},\n"\\"quoted\\"":null\n}}\n'.encode())
    assert written(read(written(tok))) == written(tok)
    assert written(pickle.loads(pickle.dumps(tok))) == written(tok)
    assert tok != TOK and tok.fingerprint == TOK.fingerprint
    # They may describe this model alone.
    assert file_of(tok.truncate(258)) == file_of(TOK.truncate(258))
    assert tok.with_special_tokens(["<s>"]) == TOK.with_special_tokens(["<s>"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"requires": ["byte_fallback"]}, 'requires "byte_fallback", which this superword does'),
        # Even if the rest cannot be read.
        ({"requires": ["lattice"], "rules": {"new": 1}}, 'requires "lattice"'),
        ({"requires": ["lattice"], "special_tokens": None}, 'requires "lattice"'),
        ({"requires": ["added_tokens"]}, "added_tokens must be both a field and listed"),
        ({"added_tokens": [[900, "a"]], "requires": []}, "added_tokens must be both a field"),
        ({"requires": "added_tokens"}, "expected a sequence"),
        ({"version": 1}, "unknown field `requires` in version 1"),
        ({"version": 3}, "version 3, but this superword reads versions 1 and 2"),
        ({"added_tokens": [[900, ""]]}, "the added token with the id 900 is empty"),
        ({"added_tokens": [[900, "a"], [901, "a"]]}, 'the added token "a" is repeated'),
        ({"added_tokens": [[900, "<|end|>"]]}, 'the added token "<|end|>" is repeated'),
        ({"added_tokens": [[900, "a"], [900, "b"]]}, '"b" has the id 900, which another'),
        ({"added_tokens": [[98, "a"]]}, '"a" has the id 98, which another token has'),
    ],
)  # fmt: skip
def test_errors_say_what_is_wrong(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelFormatError) as caught:
        read(version_2(**change))
    assert message in str(caught.value)


def test_version_2_lists_what_it_requires() -> None:
    file = file_of() | {"version": 2}
    with pytest.raises(ModelFormatError, match="missing field `requires`"):
        read(json.dumps(file).encode())


def test_fields_occur_once() -> None:
    for name in ("rules", "notes"):
        text = version_2().decode().rstrip("}") + f', "{name}": [], "{name}": []}}'
        with pytest.raises(ModelFormatError, match=f"duplicate field `{name}`"):
            read(text.encode())


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
names = st.text(max_size=6).filter(lambda name: name not in {*file_of(), "requires"})
added = st.dictionaries(
    st.text(min_size=1, max_size=5).filter(lambda text: text != "<|end|>"),
    st.integers(300, 2**32 - 1),
    max_size=4,
).filter(lambda ids: len(set(ids.values())) == len(ids))


@given(st.dictionaries(names, values, max_size=4), added)
def test_whatever_version_2_holds_is_read_and_written(
    unknown: dict[str, Any], added: dict[str, int]
) -> None:
    tokens = [[id, text] for text, id in added.items()]
    given = version_2(added_tokens=tokens, **unknown) if added else version_2(**unknown)
    tok = read(given)
    assert tok.added_tokens == added
    file = file_of(tok)
    assert file["version"] == (2 if unknown or added else 1)
    assert {name: file[name] for name in unknown} == unknown
    assert [name for name in file if name in unknown] == list(unknown)
    assert written(read(written(tok))) == written(tok)
    assert (tok.fingerprint == TOK.fingerprint) == (not added)


@pytest.mark.parametrize("cap", [0, 1, 40, 0.004, 0.1])
def test_limits_are_an_optional_field_after_the_rules(cap: float) -> None:
    documents = ["to be or not to be", "to be"]
    size = 258 if cap == 0 else 259
    tok = superword.train(documents, size, max_superwords=cap)
    file = file_of(tok)
    assert (file["version"], file["requires"]) == (2, [])
    assert list(file)[-2:] == ["rules", "limits"]
    assert file["limits"] == {"max_superwords": cap}
    assert written(read(written(tok))) == written(tok)
    assert read(written(tok)).parameters == tok.parameters
    assert type(tok.parameters.max_superwords) is type(cap)
    # They change no ids.
    if cap in (1, 40, 0.004):
        assert tok.fingerprint == superword.train(documents, 259).fingerprint
    # An older version keeps the field where it is.
    unknown = written(tok).replace(b'"limits"', b'"other_name"')
    assert written(read(unknown)) == unknown


def test_each_limit_is_in_the_file() -> None:
    limits: dict[str, Any] = {
        **{"max_superwords": 0.5, "max_words": 3, "max_token_bytes": 9, "forbid": "x|é"},
    }
    tok = superword.train(["to be or not to be", "to be"], 259, **limits)
    assert file_of(tok)["limits"] == limits
    assert written(read(written(tok))) == written(tok)
    assert tok.fingerprint == superword.train(["to be or not to be", "to be"], 259).fingerprint


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"max_words": 0}, "max_words is 0; it must be at least 1"),
        ({"max_token_bytes": 0}, "max_token_bytes is 0; it must be at least 1"),
        ({"max_letters": 3}, "unknown field `max_letters`"),
        ({"forbid": "(a"}, "cannot read the regex"),
    ],
)
def test_limits_that_make_no_sense_are_refused(limits: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read(version_2(limits=limits))


def test_limits_are_no_field_of_version_1() -> None:
    text = json.dumps(file_of() | {"limits": {}}).encode()
    with pytest.raises(ModelFormatError, match="unknown field `limits` in version 1"):
        read(text)


@pytest.mark.parametrize("cap", [0.0, 1.0, -0.5, 1.5, -1, "3", True, 2**32])
def test_a_cap_that_makes_no_sense_is_refused(cap: Any) -> None:
    with pytest.raises(ModelFormatError, match=r"max_superwords|not a model"):
        read(version_2(limits={"max_superwords": cap}))
    with pytest.raises(ValueError, match="max_superwords must be an integer from 0"):
        superword.TrainingConfig(max_superwords=cap)
