"""A tokenizer in the style of GPT-NeoX: runs of blanks are added tokens that are not special."""

from __future__ import annotations

import json
import pickle
import random
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import superword
from superword import ExportError, ModelFormatError, Tokenizer
from superword.evaluation import evaluate
from superword.evaluation.tokenizers import Ours
from superword.exporting import compare_export
from superword.interop.importing import import_tokenizer

tokenizers = pytest.importorskip("tokenizers")

RUNS = [" " * n for n in range(24, 1, -1)]
END = "<|endoftext|>"
PIECES = [
    *("def", " f", "(x)", ":\n", "\n", "    ", "  ", " ", "the", " one", " of", " the", "\t"),
    *(" " * 7, " " * 25, " " * 50, "# né", "é", "1 234", "'s", "x = 'a  b'", "<|end", "of|>"),
]


def invent(pattern: str) -> dict[str, Any]:
    """Return a `tokenizer.json` with added runs of 2 to 24 blanks."""
    code = ["def f(x):\n    if x:\n        return one of the\n  # of the\n"] * 20
    bpe = superword.train(
        [*list(superword.sample())[::8], *code],
        1500,
        pattern=pattern,
        supermerges=False,
        deletion=None,
    )
    return describe(bpe) | {"added_tokens": [
        entry(0, END, special=True),
        *(entry(5000 + at, run, special=False) for at, run in enumerate(RUNS)),
    ]}  # fmt: skip


def describe(bpe: Tokenizer) -> dict[str, Any]:
    """Return a model with ids from 1 on, as a `tokenizer.json`."""
    from superword.interop.tokenizer_json import write_tokenizer_json

    whole: dict[str, Any] = json.loads(write_tokenizer_json(bpe, is_exact=True))
    vocab = whole["model"]["vocab"]
    whole["model"]["vocab"] = {END: 0} | {text: id + 1 for text, id in vocab.items()}
    # Added tokens that the vocabulary does not have get the ids that follow it, so they are in it.
    whole["model"]["vocab"] |= {run: 5000 + at for at, run in enumerate(RUNS)}
    return whole


def entry(id: int, content: str, *, special: bool) -> dict[str, Any]:
    token = {"id": id, "content": content, "special": special, "normalized": not special}
    return token | dict.fromkeys(("single_word", "lstrip", "rstrip"), False)


@cache
def files(pattern: str) -> str:
    return json.dumps(invent(pattern))


def random_code(count: int, seed: int) -> list[str]:
    draw = random.Random(seed)
    return ["".join(draw.choices(PIECES, k=draw.randrange(40))) for _ in range(count)]


@pytest.fixture(params=["gpt2", "gpt4o", "punct"])
def neox(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Any]:
    """Return an invented file, and Hugging Face's tokenizer of it."""
    path = tmp_path / "tokenizer.json"
    path.write_text(files(request.param), encoding="utf-8")
    return path, tokenizers.Tokenizer.from_file(str(path))


def test_an_imported_tokenizer_gives_the_ids_of_hugging_face(neox: tuple[Path, Any]) -> None:
    path, theirs = neox
    ours = import_tokenizer(path)
    assert ours.special_tokens == {END: 0}
    assert sorted(ours.added_tokens) == sorted(RUNS)
    for text in random_code(300, 1):
        assert ours.encode(text) == theirs.encode(text).ids
        text = f"{text}{END}{text}"
        assert ours.encode(text, allowed_special="all") == theirs.encode(text).ids
    assert any(set(ours.encode(text)) & set(range(5000, 5023)) for text in random_code(9, 1))


def test_an_extended_tokenizer_keeps_indentation(neox: tuple[Path, Any], tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    from superword.transformers import SuperwordTokenizer

    path, _ = neox
    base = import_tokenizer(path)
    tok = superword.extend(path, [*superword.sample(), *random_code(200, 2)], 20)
    assert tok.added_tokens == base.added_tokens and tok.special_tokens == base.special_tokens
    tok.save(tmp_path / "model.json")
    face = SuperwordTokenizer(tok, eos_token=END)
    face.save_pretrained(tmp_path / "saved")
    loaded = transformers.AutoTokenizer.from_pretrained(tmp_path / "saved")
    pickled = pickle.loads(pickle.dumps(face))
    assert not loaded.added_tokens_decoder[5000].special
    assert loaded.all_special_tokens == [END]
    for text in random_code(60, 3):
        ids = tok.encode(text)
        assert tok.decode(ids) == text
        assert superword.load(tmp_path / "model.json").encode(text) == ids
        # No superword crosses an added token.
        assert [i for i in ids if i in range(5000, 5023)] == [
            i for i in base.encode(text) if i in range(5000, 5023)
        ]
        for tokenizer in (face, loaded, pickled):
            assert tokenizer(text)["input_ids"] == ids
            assert tokenizer(text, split_special_tokens=True)["input_ids"] == ids
            assert tokenizer.decode(ids, skip_special_tokens=True) == text
            assert tokenizer.decode([0, *ids, 0], skip_special_tokens=True) == text
            assert tokenizer.convert_tokens_to_string(tokenizer.tokenize(text)) == text
            assert tokenizer.convert_tokens_to_ids(tokenizer.tokenize(text)) == ids


def test_supermerges_are_learned_on_the_text_between_added_tokens(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    whole = invent("gpt2")
    whole["added_tokens"].append(entry(5100, " of the", special=False))
    whole["model"]["vocab"][" of the"] = 5100
    path.write_text(json.dumps(whole), encoding="utf-8")
    text = "one of the one of the one of the"
    with pytest.warns(UserWarning, match="the corpus has pairs for only"):
        tok = superword.extend(path, [text] * 3, 50, min_count=2)
    assert tok.encode(text).count(5100) == 3
    learned = [rule.token for rule in tok.rules if rule.kind == "supermerge"]
    assert not any(b"of" in token for token in learned)
    assert tok.training.bytes == 3 * len(text) and tok.training.documents == 3


@pytest.mark.parametrize("threads", [1, 2])
def test_extending_is_extending_on_the_texts_between(threads: int, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(files("gpt2"), encoding="utf-8")
    documents = [*superword.sample(), *random_code(400, 4)]
    between = [part for text in documents for part in split_at_runs(text)]
    whole = superword.extend(path, documents, 20, threads=threads)
    parts = superword.extend(path, between, 20, threads=threads)
    assert list(whole.rules) == list(parts.rules)


def split_at_runs(text: str) -> list[str]:
    return [part for part in re.split(r" {2,24}", text) if part]


def test_an_export_is_imported_alike(neox: tuple[Path, Any], tmp_path: Path) -> None:
    path, theirs = neox
    tok = import_tokenizer(path)
    out = tmp_path / "out.json"
    assert superword.export(tok, out, "tokenizer.json")
    entries = {e["content"]: e["special"] for e in json.loads(out.read_text())["added_tokens"]}
    assert entries == {END: True} | dict.fromkeys(RUNS, False)
    opened = tokenizers.Tokenizer.from_file(str(out))
    for text in random_code(100, 5):
        assert opened.encode(text).ids == theirs.encode(text).ids
        assert opened.decode(opened.encode(text).ids, skip_special_tokens=True) == text
    again = import_tokenizer(out)
    assert again.fingerprint == tok.fingerprint and again.added_tokens == tok.added_tokens
    compared = compare_export(tok, out, "tokenizer.json", random_code(100, 6))
    assert compared.differing_documents == 0
    with pytest.raises(ExportError, match="it has added tokens, such as"):
        superword.export(tok, tmp_path / "out.tiktoken", "tiktoken")


def test_an_approximate_export_keeps_indentation(tmp_path: Path) -> None:
    path, out = tmp_path / "tokenizer.json", tmp_path / "near.json"
    path.write_text(files("gpt2"), encoding="utf-8")
    tok = superword.extend(path, [*superword.sample(), *random_code(200, 2)], 20)
    assert not superword.export(tok, out, "tokenizer.json", approximate=True)
    opened = tokenizers.Tokenizer.from_file(str(out))
    for text in random_code(100, 9):
        ids = opened.encode(text).ids
        assert opened.decode(ids, skip_special_tokens=True) == text
        runs = [id for id in ids if id in range(5000, 5023)]
        assert runs == [id for id in tok.encode(text) if id in range(5000, 5023)]


def test_added_tokens_are_measured(neox: tuple[Path, Any]) -> None:
    path, _ = neox
    tok = import_tokenizer(path)
    texts = random_code(50, 7)
    ours = Ours(tok)
    assert set(range(5000, 5023)) <= set(ours.vocabulary)
    assert b"".join(ours.tokenize(texts[0])) == texts[0].encode()
    assert evaluate(ours, texts, instability=False) is not None


def test_an_added_token_of_the_vocabulary_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    whole = invent("gpt2")
    id = whole["model"]["vocab"]["the"]
    whole["added_tokens"].append(entry(id, "the", special=False))
    path.write_text(json.dumps(whole), encoding="utf-8")
    theirs, ours = tokenizers.Tokenizer.from_file(str(path)), import_tokenizer(path)
    for text in [*random_code(50, 8), "xthem the"]:
        assert ours.encode(text) == theirs.encode(text).ids
    assert superword.export(ours, tmp_path / "out.json", "tokenizer.json")
    assert import_tokenizer(tmp_path / "out.json") == ours


def test_added_tokens_that_are_searched_for_in_another_order_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    whole = invent("gpt2")
    whole["added_tokens"].append(entry(5100, "> ", special=False) | {"normalized": False})
    whole["model"]["vocab"]["> "] = 5100
    path.write_text(json.dumps(whole), encoding="utf-8")
    with pytest.raises(ModelFormatError, match="may overlap, and are searched for in another"):
        import_tokenizer(path)
    with pytest.warns(UserWarning, match="may overlap"):
        import_tokenizer(path, approximate=True)
