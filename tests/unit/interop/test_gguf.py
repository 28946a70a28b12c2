"""`superword.export(..., "gguf")`: the file, read back, and encoded as llama.cpp does."""

from __future__ import annotations

import subprocess
import sys
import warnings
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import superword
from superword import ExportError, Tokenizer
from superword.cli import app
from superword.exporting import compare_export, export
from superword.interop import import_tokenizer
from superword.interop.byte_spelling import spell
from superword.interop.gguf_checks import END_OF_TEXT, explain_no_gguf
from superword.interop.tricky_texts import list_tricky_texts
from superword.tokenizer.profiles import PORTABLE_PATTERN

gguf = pytest.importorskip("gguf")

END = "<|endoftext|>"
BPE: dict[str, Any] = {"supermerges": False, "deletion": None}
# Models that llama.cpp has a split for.
EXACT: dict[str, dict[str, Any]] = {
    "superbpe": {"profile": "portable"},
    "gpt-2": {"pattern": "gpt2", **BPE},
    "llama-bpe": {"pattern": "llama3", **BPE},
    "qwen2": {"pattern": "qwen2", **BPE},
}
# The regexes of llama.cpp's splits, as in its source. It applies one after the other.
SPLITS = {
    "superbpe": [r"\p{N}+", r"(?=([0-9]{3})+(?![0-9]))"],
    "gpt-2": [
        r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    ],
    "llama-bpe": [
        r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ],
    "qwen2": [
        r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+"
        r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ],
}


@cache
def trained(**options: Any) -> Tokenizer:
    documents = [*superword.sample()][:40]
    return superword.train(documents, 1200, special_tokens=[END, "<|pad|>"], **options)


def write(tok: Tokenizer, path: Path) -> Any:
    """Export a model, and read the file back."""
    with warnings.catch_warnings():
        # Without llama-cpp-python, a warning says that the file was not compared.
        warnings.simplefilter("ignore")
        assert export(tok, path, "gguf")
    fields = gguf.GGUFReader(path).fields
    return {name: field.contents() for name, field in fields.items()}


def split_as_llama_cpp(text: str, split: str) -> list[str]:
    """Split a text by one regex after the other; an empty match is a boundary."""
    pieces = [text]
    for expression in SPLITS[split]:
        pieces = [part for piece in pieces for part in isolate(expression, piece)]
    return pieces


def isolate(expression: str, text: str) -> list[str]:
    """Return the matches of a regex and the texts between them."""
    spans = [match.span() for match in regex.finditer(expression, text)]
    places = sorted({0, len(text)}.union(*spans))
    return [text[start:end] for start, end in pairwise(places)]


def encode_as_llama_cpp(text: str, fields: dict[str, Any]) -> list[int]:
    """Encode a text by the fields of a file alone."""
    split = fields["tokenizer.ggml.pre"]
    ids = {token: id for id, token in enumerate(fields["tokenizer.ggml.tokens"])}
    ranks: dict[tuple[str, ...], int] = {}
    for rank, merge in enumerate(fields["tokenizer.ggml.merges"]):
        ranks.setdefault(tuple(merge.split(" ", 1)), rank)
    found = []
    for piece in split_as_llama_cpp(text, split):
        parts = list(spell(piece.encode()))
        if split == "llama-bpe" and "".join(parts) in ids:
            parts = ["".join(parts)]
        while True:
            known = [(ranks[pair], at) for at, pair in enumerate(pairwise(parts)) if pair in ranks]
            if not known:
                break
            _, at = min(known)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        found += [ids[part] for part in parts]
    return found


@pytest.mark.parametrize("split", EXACT)
def test_the_file_holds_the_model(split: str, tmp_path: Path) -> None:
    tok = trained(**EXACT[split])
    fields = write(tok, tmp_path / "model.gguf")
    assert fields["tokenizer.ggml.model"] == "gpt2"
    assert fields["tokenizer.ggml.pre"] == split
    tokens = [spell(token) for _, token in sorted(tok._model.vocabulary())]
    assert fields["tokenizer.ggml.tokens"] == [*tokens, END, "<|pad|>"]
    assert fields["tokenizer.ggml.token_type"] == [1] * tok.vocab_size + [3, 3]
    merges = [f"{spell(rule.left)} {spell(rule.right or b'')}" for rule in tok.rules]
    assert fields["tokenizer.ggml.merges"] == merges
    assert fields["tokenizer.ggml.eos_token_id"] == tok.special_tokens[END]
    assert fields["tokenizer.ggml.bos_token_id"] == tok.special_tokens[END]
    assert fields["tokenizer.ggml.add_bos_token"] is False
    assert fields["tokenizer.ggml.add_eos_token"] is False
    assert fields["superword.fingerprint"] == tok.fingerprint


@pytest.mark.parametrize("split", EXACT)
def test_the_rules_of_llama_cpp_give_the_ids_of_the_model(split: str, tmp_path: Path) -> None:
    tok = trained(**EXACT[split])
    fields = write(tok, tmp_path / "model.gguf")
    # `(?i:'s)` is also `'ſ` in a regex. llama.cpp knows no such letter.
    texts = [text for text in list_tricky_texts(tok) if "ſ" not in text and len(text) < 2000]
    for text in texts[::7]:
        assert encode_as_llama_cpp(text, fields) == tok.encode_ordinary(text), text


@given(st.text(st.sampled_from("0123½١Ⅷ٣𝟙a .\n"), max_size=30))
@settings(max_examples=500)
def test_the_portable_pattern_splits_as_llama_cpp_does(text: str) -> None:
    assert superword.pretokenize(text, PORTABLE_PATTERN) == split_as_llama_cpp(text, "superbpe")


def test_the_portable_pattern_takes_linear_time_on_digits() -> None:
    # Quadratic time would be minutes.
    text = "1" * 1_000_000
    assert len(superword.pretokenize(text, PORTABLE_PATTERN)) == 333_334
    assert len(superword.pretokenize(text.replace("1", "½"), PORTABLE_PATTERN)) == 1


@pytest.mark.parametrize("format", ["tokenizer.json", "tiktoken"])
def test_a_portable_model_is_exact_in_other_formats(format: Any, tmp_path: Path) -> None:
    tok = trained(profile="portable")
    assert export(tok, tmp_path / "exported", format)
    found = compare_export(tok, tmp_path / "exported", format, superword.sample())
    assert found.differing_documents == 0


def make_imported(tmp_path: Path) -> Tokenizer:
    """Return a portable model after an export and an import, whose ids have a gap."""
    export(trained(profile="portable"), tmp_path / "portable.tiktoken", "tiktoken")
    path = tmp_path / "portable.tiktoken.json"
    path.write_text(path.read_text().replace(f'"{END}": 1200', f'"{END}": 1210'))
    return import_tokenizer(tmp_path / "portable.tiktoken")


def test_ids_without_a_token_are_unused(tmp_path: Path) -> None:
    fields = write(make_imported(tmp_path), tmp_path / "model.gguf")
    assert fields["tokenizer.ggml.tokens"][1200:] == [
        "[UNUSED1200]",
        "<|pad|>",
        *(f"[UNUSED{id}]" for id in range(1202, 1210)),
        END,
    ]
    assert fields["tokenizer.ggml.token_type"][1200:] == [5, 3, *[5] * 8, 3]


def test_a_truncated_portable_model_stays_exact(tmp_path: Path) -> None:
    tok = trained(profile="portable").truncate(1000)
    fields = write(tok, tmp_path / "model.gguf")
    assert len(fields["tokenizer.ggml.tokens"]) == 1002
    text = "It was the best of times, in 1234567 and 89."
    assert encode_as_llama_cpp(text, fields) == tok.encode(text)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "BoundlessBPE": ({"deletion": None}, "is a supermerge.*profile portable"),
    "PickyBPE": ({"supermerges": False, "tau": 0.6}, "deletes a token.*profile portable"),
    "SuperBPE": ({"transition": 1000, **BPE}, r"no split like its pattern, \\p\{N\}\{1,3\}"),
    "gpt4o": ({"pattern": "gpt4o", **BPE}, "no split like its pattern, gpt4o; train with"),
    "gpt4": ({"pattern": "gpt4", **BPE}, "no split like its pattern, gpt4;"),
    "cl100k_base": ({"pattern": "cl100k_base", **BPE}, "no split like its pattern, cl100k_base;"),
    "punct": ({"pattern": "punct", **BPE}, "no split like its pattern, punct;"),
    "boundless": ({"pattern": "boundless", **BPE}, "no split like its pattern, boundless;"),
    "custom": ({"pattern": r"\w+|\W", **BPE}, r"no split like its pattern, \\w\+"),
}


@pytest.mark.parametrize(("options", "reason"), REFUSED.values(), ids=REFUSED.keys())
def test_other_models_are_refused(options: dict[str, Any], reason: str, tmp_path: Path) -> None:
    for approximate in (False, True):
        with pytest.raises(
            ExportError, match=f"no gguf file gives the ids of this model.*{reason}"
        ):
            export(trained(**options), tmp_path / "model.gguf", "gguf", approximate=approximate)
    assert not list(tmp_path.iterdir())


def test_an_extended_model_is_refused(tmp_path: Path) -> None:
    tok = superword.extend(trained(pattern="gpt2", **BPE), superword.sample(), 20)
    with pytest.raises(ExportError, match="is a supermerge"):
        export(tok, tmp_path / "model.gguf", "gguf")


@pytest.mark.parametrize(
    ("special", "reason"),
    [
        ([], "has no special token.*with_special_tokens"),
        ([END, "<|channel|>"], "always finds '<|channel|>'"),
        (["<|end|>", "<|call|>"], "always finds '<|end|>'"),
        (["<a>", ">b<"], "'<a>' and '>b<' may overlap"),
        (["a\0b"], "zero byte"),
    ],
)
def test_special_tokens_that_llama_cpp_finds_otherwise_are_refused(
    special: list[str], reason: str
) -> None:
    tok = superword.train(["to be or not to be"], 258, profile="portable", special_tokens=special)
    found = explain_no_gguf(tok)
    assert found is not None
    assert regex.search(reason.replace("|", r"\|"), found)


@pytest.mark.parametrize("text", ["</s>", "<EOT>", "[PAD]", "<PRE>", "<|start|>"])
def test_tokens_that_llama_cpp_takes_for_control_tokens_are_refused(text: str) -> None:
    size = 255 + len(text)
    tok = superword.train([text, text], size, profile="portable", special_tokens=[END])
    assert text.encode() in dict(tok._model.vocabulary()).values()
    assert f"takes the token {text!r}" in (explain_no_gguf(tok) or "")


def test_added_tokens_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    export(trained(profile="portable"), path, "tokenizer.json")
    path.write_text(path.read_text().replace('"special": true', '"special": false'))
    tok = import_tokenizer(path)
    assert tok.added_tokens
    assert "added tokens, such as '<|endoftext|>'" in (explain_no_gguf(tok) or "")


def test_the_end_of_a_text_has_a_usual_name_or_is_the_first_special_token(tmp_path: Path) -> None:
    documents = [*superword.sample()][:5]
    for special, end in [(["<|pad|>", "</s>", END], END), (["<b>", "<a>"], "<b>")]:
        tok = superword.train(documents, 400, profile="portable", special_tokens=special)
        fields = write(tok, tmp_path / "model.gguf")
        assert fields["tokenizer.ggml.eos_token_id"] == tok.special_tokens[end]
    assert END_OF_TEXT[0] == END


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gguf", None)
    with pytest.raises(ImportError, match=r"needs gguf; pip install 'superword\[gguf\]'"):
        export(trained(profile="portable"), tmp_path / "model.gguf", "gguf")
    trained(profile="portable").save(tmp_path / "model.json")
    given = ["export", str(tmp_path / "model.json"), "-o", str(tmp_path / "model.gguf")]
    done = CliRunner().invoke(app, given)
    assert done.exit_code == 1
    assert "superword: writing a GGUF file needs gguf" in done.stderr


def test_the_command_chooses_the_format_by_the_name(tmp_path: Path) -> None:
    trained(profile="portable").save(tmp_path / "portable.json")
    command = Path(sys.executable).parent / "superword"
    paths = [str(tmp_path / name) for name in ("portable.json", "portable.gguf")]
    done = subprocess.run(
        [command, "export", paths[0], "-o", paths[1]], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    is_compared = "was not compared" not in done.stderr  # Without llama-cpp-python.
    assert ("portable.gguf: exact" in done.stderr) == is_compared
    assert (tmp_path / "portable.gguf").read_bytes()[:4] == b"GGUF"


class FakeLlama:
    """Stands in for `llama_cpp.Llama`; knows no merges."""

    def __init__(self, path: str, *, vocab_only: bool, verbose: bool) -> None:
        self.metadata = {"tokenizer.ggml.pre": "superbpe"}

    def tokenize(self, text: bytes, *, add_bos: bool, special: bool) -> list[int]:
        assert len(text) < 20_001, "it would crash"
        return list(text)


def test_a_file_that_llama_cpp_encodes_otherwise_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "llama_cpp", SimpleNamespace(Llama=FakeLlama))
    with pytest.raises(ExportError, match='the library encodes "The end of the day'):
        export(trained(profile="portable"), tmp_path / "model.gguf", "gguf")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("digit", "1½")
def test_comparing_never_gives_llama_cpp_a_number_that_crashes_it(
    digit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "llama_cpp", SimpleNamespace(Llama=FakeLlama))
    with pytest.raises(ExportError, match=r"llama.cpp fails on a text: .* 20,000 digits in a row"):
        compare_export(trained(profile="portable"), tmp_path / "x", "gguf", [digit * 20_001])


@pytest.mark.parametrize("split", EXACT)
def test_llama_cpp_gives_the_ids_of_the_model(split: str, tmp_path: Path) -> None:
    pytest.importorskip("llama_cpp", reason="needs llama-cpp-python")
    tok = trained(**EXACT[split])
    assert export(tok, tmp_path / "model.gguf", "gguf")
    found = compare_export(tok, tmp_path / "model.gguf", "gguf", superword.sample())
    assert found.differing_documents == 0
