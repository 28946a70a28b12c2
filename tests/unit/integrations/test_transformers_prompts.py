"""`SuperwordTokenizer.encode_prompt`, with every kind of model and with added tokens."""

from __future__ import annotations

import random
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from transformers import AddedToken

import superword
from superword import Tokenizer
from superword.integrations.held_back_logits import list_text_tokens
from superword.interop import import_tokenizer
from superword.transformers import SuperwordTokenizer

SPECIAL = ["<|bos|>", "<|end|>", "<|end|>ing"]
TEXT = "at the end of the day<|end|> of the naïve café 猫\n\n  1234 isn't <mask> <one>, <|end|>"
KINDS = ["BPE", "PickyBPE", "BoundlessBPE", "SuperBPE", "extended", "imported"]


@cache
def core(kind: str) -> Tokenizer:
    documents = list(superword.sample())[::4]
    plain: dict[str, Any] = {"supermerges": False, "deletion": None, "special_tokens": SPECIAL}
    match kind:
        case "PickyBPE":
            return superword.train(
                documents, 900, tau=0.7, supermerges=False, special_tokens=SPECIAL
            )
        case "BoundlessBPE":
            return superword.train(documents, 900, special_tokens=SPECIAL)
        case "SuperBPE":
            return superword.train(documents, 900, transition=700, **plain)
    bpe = superword.train(documents, 900, pattern="gpt2", **plain)
    match kind:
        case "BPE":
            return bpe
        case "extended":
            return superword.extend(bpe, documents, 100)
        case _:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "tokenizer.json")
                assert superword.export(bpe, path, "tokenizer.json")
                return import_tokenizer(path)


@pytest.fixture(params=KINDS)
def tokenizer(request: pytest.FixtureRequest) -> SuperwordTokenizer:
    named = {"bos_token": "<|bos|>", "eos_token": "<|end|>", "pad_token": "<|end|>"}
    made = SuperwordTokenizer(core(request.param), special_tokens_pattern="bos_eos", **named)
    made.add_tokens([AddedToken("<one>", single_word=True), AddedToken("<mask>", lstrip=True)])
    made.add_tokens([AddedToken("<<x", rstrip=True), " <<x>y"])
    return made


def text_of(tokenizer: SuperwordTokenizer, text: str, ids: list[int], held_back: bytes) -> bool:
    """Whether the ids and the bytes are the text; white space may belong to an added token."""
    bare = "".join(text.split())
    decoded = tokenizer.decode(ids) + held_back.decode("utf-8", "replace")
    return "".join(decoded.split()) == bare


def test_no_continuation_changes_the_ids(tokenizer: SuperwordTokenizer) -> None:
    generator = random.Random(5)
    parts = [*SPECIAL, "<mask>", "<one>", "<<x", " <<x>y", " the", " of", "day", "  ", "\n", "isn"]
    texts = [TEXT[:end] for end in range(0, len(TEXT), 3)]
    texts += [
        "".join(generator.choices(parts, k=4))[: generator.randrange(1, 30)] for _ in range(60)
    ]
    ends = [
        "",
        "x",
        " ",
        "t",
        "|end|>",
        "end|>",
        ">",
        "<mask>",
        " <mask>",
        "ing",
        "one>",
        ">y",
        "1",
    ]
    ends += ["".join(generator.choices(parts, k=2))[generator.randrange(4) :] for _ in range(15)]
    for text in texts:
        prompt = tokenizer.encode_prompt(text)
        assert prompt.ids[0] == tokenizer.bos_token_id
        assert text_of(tokenizer, "<|bos|>" + text, prompt.ids, prompt.held_back)
        for end in ends:
            assert tokenizer.encode(text + end)[: len(prompt.ids)] == prompt.ids, (text, end)


def test_special_tokens_end_what_is_held_back(tokenizer: SuperwordTokenizer) -> None:
    chat = "<|bos|>at the end of the"
    assert tokenizer.encode_prompt(chat + "<|bos|>", add_special_tokens=False) == (
        tokenizer.encode(chat + "<|bos|>", add_special_tokens=False),
        b"",
    )
    # It may become a longer one; and what may become one is held back.
    assert tokenizer.encode_prompt("day<|end|>").held_back.endswith(b"<|end|>")
    assert tokenizer.encode_prompt("<|bos|><|en").held_back == b"<|en"
    assert tokenizer.encode_prompt("<|bos|> ").held_back == b" "  # <mask> would include it.
    # As ordinary text, they are what the core makes of them.
    split = tokenizer.encode_prompt("day<|end|>", split_special_tokens=True)
    assert split.ids[1:] == tokenizer.core.encode_prompt("day<|end|>").ids
    assert tokenizer.encode_prompt("") == ([tokenizer.bos_token_id], b"")
    assert tokenizer.encode_prompt("", add_special_tokens=False) == ([], b"")


def test_chat_templates_end_with_a_special_token(tokenizer: SuperwordTokenizer) -> None:
    tokenizer.chat_template = "{% for m in messages %}<|bos|>{{ m.content }}{% endfor %}<|bos|>"
    chat = [{"role": "user", "content": "at the end of the"}]
    prompt = tokenizer.encode_prompt(
        tokenizer.apply_chat_template(chat, tokenize=False), add_special_tokens=False
    )
    assert prompt == (tokenizer.apply_chat_template(chat, return_dict=False), b"")


def test_special_tokens_do_not_stand_for_text(tokenizer: SuperwordTokenizer) -> None:
    tokens = dict(list_text_tokens(tokenizer))
    assert tokens.keys().isdisjoint(tokenizer.all_special_ids)
    assert {b"<one>", b"<mask>", b"a"} <= set(tokens.values())
    sizes = tokenizer.core.bytes_per_token_id()
    core_ids = {id for id, size in enumerate(sizes.tolist()) if size}
    assert core_ids - set(tokenizer.all_special_ids) <= tokens.keys()
