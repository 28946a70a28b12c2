"""The life of a tokenizer: saved, loaded, pickled, truncated, extended, pruned, exported, shared.

Whatever happens to it, its ids are those of the rules applied one by one, and texts come back
whole. What a kind of model cannot do, it refuses in a sentence.
"""

from __future__ import annotations

import copy
import json
import pickle
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    rule,
    run_state_machine_as_test,
)

import superword
from superword import SuperwordError, Tokenizer

# Special tokens may be texts too: they are encoded as ordinary text here.
PIECES = [
    *(
        "of the",
        " day",
        " ",
        "\n",
        "naïve",
        "日本語",
        "ภาษา",
        "<|end|>",
        "1234",
        "'s",
        "\x00",
        "🙂",
    ),
]
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=12).map("".join)


def apply_rules(tok: Tokenizer, text: str) -> list[bytes]:
    """Encode by the definition: the rules one by one."""
    *_, last = tok.explain(text)
    return [token for unit in last.units for token in unit]


class TokenizerLife(RuleBasedStateMachine):
    """A tokenizer, to which things happen in any order."""

    first: Tokenizer

    def __init__(self) -> None:
        super().__init__()
        self.tok = self.first
        self.text = "It was the end of the day."

    @rule(text=texts)
    def encode(self, text: str) -> None:
        self.text = text

    @rule()
    def save_and_load(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "model.json")
            self.tok.save(path)
            loaded = superword.load(path)
        assert loaded == self.tok
        self.tok = loaded

    @rule()
    def copy_it(self) -> None:
        copied = pickle.loads(pickle.dumps(copy.deepcopy(self.tok)))
        assert copied.fingerprint == self.tok.fingerprint
        self.tok = copied

    @rule(size=st.integers(256, 1100))
    def truncate(self, size: int) -> None:
        try:
            self.tok = self.tok.truncate(size)
        except ValueError as error:
            assert str(error)

    @rule(kind=st.sampled_from(["merges", "superwords", "both"]), add=st.integers(1, 20))
    def extend(self, kind: Any, add: int) -> None:
        documents = list(superword.sample())[:2]
        try:
            extended = superword.extend(self.tok, documents, add, kind=kind)
        except (ValueError, SuperwordError) as error:
            assert str(error)
            return
        assert extended.vocab_size <= self.tok.vocab_size + add
        assert all(
            extended.token_id(self.tok.token_bytes(id)) == id
            for id in range(0, self.tok.vocab_size, 50)
            if id not in self.tok.special_tokens.values()
        )
        self.tok = extended

    @rule(share=st.floats(0.5, 0.9))
    def prune(self, share: float) -> None:
        documents = list(superword.sample())[:1]
        size = int(len(self.tok) * share)
        try:
            self.tok = superword.prune(self.tok, documents, to=size).tokenizer
        except ValueError as error:
            assert "to must be at least" in str(error)

    @rule(number=st.integers(0, 99))
    def add_special_token(self, number: int) -> None:
        if f"<|{number}|>" not in self.tok.special_tokens:
            self.tok = self.tok.with_special_tokens([f"<|{number}|>"])

    @rule()
    def export_and_open(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "tokenizer.json")
            try:
                superword.export(self.tok, path, "tokenizer.json")
            except ValueError as error:
                assert str(error)
                assert not path.exists()
                return
            assert json.loads(path.read_bytes())["model"]["type"] == "BPE"
            opened = superword.open_base(path)
        assert opened.encode_ordinary(self.text) == self.tok.encode_ordinary(self.text)
        self.tok = opened

    @rule()
    def use_from_threads(self) -> None:
        expected = self.tok.encode_ordinary(self.text)
        with ThreadPoolExecutor(8) as pool:
            for ids in pool.map(self.tok.encode_ordinary, [self.text] * 32):
                assert ids == expected

    @invariant()
    def ids_are_those_of_the_definition(self) -> None:
        ids = self.tok.encode_ordinary(self.text)
        assert self.tok.decode_bytes(ids) == self.text.encode()
        assert [self.tok.token_bytes(id) for id in ids] == apply_rules(self.tok, self.text)

    @invariant()
    def pieces_have_the_ids_of_the_whole(self) -> None:
        stream = self.tok.encode_stream(disallowed_special=())
        middle = len(self.text) // 2
        ids = [*stream.feed(self.text[:middle]), *stream.feed(self.text[middle:])]
        assert [*ids, *stream.finish()] == self.tok.encode_ordinary(self.text)


@pytest.mark.filterwarnings("ignore:the corpus has pairs for")
def test_whatever_happens_ids_are_those_of_the_definition(core_of_kind: Tokenizer) -> None:
    class LifeOfKind(TokenizerLife):
        first = core_of_kind

    chosen = settings(max_examples=12, stateful_step_count=10, deadline=None)
    run_state_machine_as_test(LifeOfKind, settings=chosen)
