"""Pruned tokenizers: ids, maps, reports, what is refused, and exports."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import superword
from superword import ExportError, Tokenizer
from superword.cli import app
from superword.evaluation import Pruned
from superword.interop import import_tokenizer

DOCUMENTS = list(superword.sample())[1::8]
PLAIN: dict[str, Any] = {"pattern": "gpt2", "supermerges": False, "deletion": None}
CHOICES: list[dict[str, Any]] = [{"to": 500}, {"min_count": 150}, {"residues": 0.9}]


def translate(pruned: Pruned, ids: list[int]) -> list[int]:
    """Return the new ids of old ones."""
    new = {old: [id] for old, id in pruned.kept.items()} | pruned.removed
    return [id for old in ids for id in new[old]]


@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_the_id_map_translates_every_encoding(
    core_of_kind: Tokenizer, choice: dict[str, Any]
) -> None:
    pruned = superword.prune(core_of_kind, DOCUMENTS, **choice)
    tok = pruned.tokenizer
    assert pruned.removed
    assert sorted(pruned.kept.values()) == list(range(len(tok)))
    assert len(pruned.kept) + len(pruned.removed) == len(core_of_kind)
    for old, new in pruned.kept.items():
        assert core_of_kind.token_bytes(old) == tok.token_bytes(new)
    for old, spelled in pruned.removed.items():
        assert core_of_kind.token_bytes(old) == b"".join(map(tok.token_bytes, spelled))
        assert len(spelled) > 1
    text = "<|bos|>" + DOCUMENTS[0] + "<|end|> naïve 日本"
    before = core_of_kind.encode(text, allowed_special="all")
    ids = tok.encode(text, allowed_special="all")
    assert ids == translate(pruned, before)
    assert tok.decode(ids) == text
    assert tok.count_tokens(DOCUMENTS[0]) == len(tok.encode(DOCUMENTS[0]))
    spans = tok.encode_with_offsets(DOCUMENTS[0])[1].bytes
    assert spans[0][0] == 0 and spans[-1][1] == len(DOCUMENTS[0].encode())
    assert [a for a, _ in spans[1:]] == [b for _, b in spans[:-1]]


@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_a_prompt_and_an_explanation_of_a_pruned_model_are_right(
    core_of_kind: Tokenizer, choice: dict[str, Any]
) -> None:
    tok = superword.prune(core_of_kind, DOCUMENTS, **choice).tokenizer
    whole = DOCUMENTS[1][:400]
    for end in range(0, 200, 7):
        prompt = tok.encode_prompt(whole[:end])
        ids = tok.encode(whole)
        assert ids[: len(prompt.ids)] == prompt.ids
        assert tok.decode_bytes(prompt.ids) + prompt.held_back == whole[:end].encode()
    steps = tok.explain(whole)
    assert [token for unit in steps[-1].units for token in unit] == list(
        map(tok.token_bytes, tok.encode(whole))
    )
    assert steps[0].rule is None and not steps[0].changes
    is_replaced = core_of_kind.explain(whole)[-1].units != steps[-1].units
    assert (steps[-1].rule is None and bool(steps[-1].changes)) >= is_replaced


def test_by_size_and_by_use_the_tokens_left_are_as_asked(core_of_kind: Tokenizer) -> None:
    by_size = superword.prune(core_of_kind, DOCUMENTS, to=400)
    assert len(by_size.tokenizer) == by_size.tokenizer.n_vocab == 400
    tok = superword.prune(core_of_kind, DOCUMENTS, min_count=150).tokenizer
    counts = dict.fromkeys(range(len(tok)), 0)
    for text in DOCUMENTS:
        for id in tok.encode(text):
            counts[id] += 1
    special = {*tok.special_tokens.values(), *map(tok.token_id, tok._model.lookup_tokens)}
    long = [id for id in counts if len(tok.token_bytes(id)) > 1 and id not in special]
    assert long and min(counts[id] for id in long) >= 150


def test_the_report_measures_both_by_source() -> None:
    rows = [{"text": text, "source": "ab"[at % 2]} for at, text in enumerate(DOCUMENTS)]
    tok = superword.train(DOCUMENTS, 600)
    pruned = superword.prune(tok, rows, to=400)
    for source in "ab":
        texts = [row["text"] for row in rows if row["source"] == source]
        assert pruned.before.sources[source].tokens == sum(map(len, tok.encode_batch(texts)))
        assert pruned.after.sources[source].tokens == sum(
            map(len, pruned.tokenizer.encode_batch(texts))
        )
    assert "200 of 600 tokens removed, 400 left; bytes per token -" in pruned.report()
    assert "bytes per token by source" in pruned.report()
    assert pruned.as_json()["removed"] == 200


def test_a_pruned_model_is_pruned_again_and_gets_special_tokens(tok: Tokenizer) -> None:
    once = superword.prune(tok, DOCUMENTS, to=900).tokenizer
    twice = superword.prune(once, DOCUMENTS, to=600).tokenizer
    assert twice == superword.prune(tok, DOCUMENTS, to=600).tokenizer
    special = twice.with_special_tokens(["<|end|>"])
    assert special.special_tokens == {"<|end|>": 600}
    assert special.encode(DOCUMENTS[0]) == twice.encode(DOCUMENTS[0])
    assert "900 tokens" in repr(once)


def test_nothing_to_remove_leaves_the_model(tok: Tokenizer) -> None:
    pruned = superword.prune(tok, DOCUMENTS, to=len(tok))
    assert pruned.tokenizer == tok
    assert pruned.removed == {}


def test_added_tokens_stay(tmp_path: Path) -> None:
    superword.export(
        superword.train(DOCUMENTS, 400, **PLAIN), tmp_path / "tokenizer.json", "tokenizer.json"
    )
    described = json.loads((tmp_path / "tokenizer.json").read_text())
    added = described["model"]["vocab"]["Ġthe"]
    entry = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": True}
    described["added_tokens"] = [
        {"id": 400, "content": "     ", "special": False, **entry},
        {"id": 450, "content": "<|end|>", "special": True, **entry, "normalized": False},
    ]
    (tmp_path / "tokenizer.json").write_text(json.dumps(described))
    pruned = superword.prune(tmp_path, DOCUMENTS, to=300)
    assert pruned.tokenizer.added_tokens == {"     ": 298}
    assert pruned.tokenizer.special_tokens == {"<|end|>": 299}
    assert pruned.kept[450] == 299
    text = "of the     end"
    ids = import_tokenizer(tmp_path).encode(text)
    assert pruned.tokenizer.encode(text) == translate(pruned, ids)
    assert added in {*pruned.kept, *pruned.removed}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "one of to"),
        ({"to": 300, "min_count": 3}, "one of to"),
        ({"to": 255}, "to must be at least 256"),
        ({"min_count": 0}, "min_count must be at least 1"),
        ({"residues": 0.0}, "residues must be above 0"),
        ({"residues": 1.5}, "residues must be above 0"),
        ({"to": 300, "pattern": "gpt2"}, "for tiktoken files"),
    ],
)
def test_what_makes_no_sense_is_refused(
    tok: Tokenizer, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        superword.prune(tok, DOCUMENTS, **options)


def test_standard_input_is_refused(tok: Tokenizer) -> None:
    for corpus in ("-", [Path("-")]):
        with pytest.raises(ValueError, match="read twice"):
            superword.prune(tok, corpus, to=300)


def test_truncating_and_extending_a_pruned_model_is_refused(tok: Tokenizer) -> None:
    pruned = superword.prune(tok, DOCUMENTS, to=900).tokenizer
    with pytest.raises(ValueError, match="a pruned model cannot be truncated"):
        pruned.truncate(300)
    with pytest.raises(ValueError, match="a pruned model cannot be extended"):
        superword.extend(pruned, DOCUMENTS, 10)


@pytest.mark.parametrize("format", ["tokenizer.json", "tiktoken"])
def test_an_export_without_the_removed_tokens_is_exact_or_refused(
    tmp_path: Path, format: Any
) -> None:
    bpe = superword.train(DOCUMENTS, 500, **PLAIN)
    # The last merges can go: none of the others needs them, or comes later.
    last = Tokenizer._of(bpe._model.prune(list(range(400, 500))))
    path = tmp_path / "exported"
    assert superword.export(last, path, format)
    if format == "tokenizer.json":
        assert import_tokenizer(path).encode(DOCUMENTS[2]) == last.encode(DOCUMENTS[2])
    assert last.encode(DOCUMENTS[2]) == bpe.truncate(400).encode(DOCUMENTS[2])
    assert last.as_tiktoken()._mergeable_ranks == bpe.truncate(400).as_tiktoken()._mergeable_ranks
    # ` t` is in ` the`.
    needed = Tokenizer._of(bpe._model.prune([bpe.token_id(b" t")]))
    with pytest.raises(ExportError, match=r"makes b' th\w*' from b' t', which was removed"):
        superword.export(needed, path, format)
    # No token needs it, but later merges would apply where its merge takes their tokens.
    leaves = [
        rule.token
        for rule in bpe.rules[:-1]
        if not any(rule.token in (other.left, other.right) for other in bpe.rules)
    ]
    early = Tokenizer._of(bpe._model.prune([bpe.token_id(leaves[0])]))
    with pytest.raises(ExportError, match="would apply more often"):
        superword.export(early, path, format)


@pytest.mark.parametrize("kind", ["BPE", "SuperBPE", "imported"])
def test_with_their_rules_dropped_the_result_is_exported_exactly(
    tmp_path: Path, train_kind: Callable[[str], Tokenizer], kind: str
) -> None:
    pruned = superword.prune(train_kind(kind), DOCUMENTS, to=500, drop_rules=True)
    tok = pruned.tokenizer
    assert len(tok) == 500
    assert tok.special_tokens == {"<|bos|>": 498, "<|end|>": 499}
    assert superword.export(tok, tmp_path / "tokenizer.json", "tokenizer.json")
    again = import_tokenizer(tmp_path / "tokenizer.json")
    assert again.encode_batch(DOCUMENTS) == tok.encode_batch(DOCUMENTS)
    if kind != "SuperBPE":
        assert superword.export(tok, tmp_path / "a.tiktoken", "tiktoken")
    for old, spelled in pruned.removed.items():
        assert train_kind(kind).token_bytes(old) == b"".join(map(tok.token_bytes, spelled))


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("BPE", {"residues": 0.9}, "larger tokens are made from residues"),
        ("PickyBPE", {"to": 500}, "has a delete"),
        ("extended", {"to": 500}, "has a supermerge"),
        ("pruned", {"to": 500}, "pruned already"),
    ],
)
def test_rules_that_cannot_be_dropped_are_named(
    train_kind: Callable[[str], Tokenizer], kind: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        superword.prune(train_kind(kind), DOCUMENTS, **options, drop_rules=True)


def test_dropping_the_rules_of_removed_tokens_would_not_be_exact() -> None:
    rules = [
        superword.Rule(0, "merge", b"x", b"a", (), 1),
        superword.Rule(1, "merge", b"a", b"b", (), 1),
    ]
    config = superword.TrainingConfig(**PLAIN, vocab_size=300)
    both = Tokenizer._from_rules(rules, config)
    pruned = Tokenizer._of(both._model.prune([256]))
    dropped = Tokenizer._from_rules(rules[1:], config)
    spelled = [list(map(tok.token_bytes, tok.encode("xab"))) for tok in (pruned, dropped)]
    assert spelled == [[b"x", b"a", b"b"], [b"x", b"ab"]]


def test_the_command_writes_the_folder_that_prune_saves(tmp_path: Path) -> None:
    tok = superword.train(DOCUMENTS, 400, **PLAIN, special_tokens=["<|end|>"])
    superword.export(tok, tmp_path / "a.tiktoken", "tiktoken")
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("".join(json.dumps({"text": text}) + "\n" for text in DOCUMENTS))
    output = tmp_path / "new" / "pruned"
    arguments = [str(tmp_path / "a.tiktoken"), str(corpus), "--to", "300", "-o", str(output)]
    done = CliRunner().invoke(app, ["prune", *arguments])
    assert done.exit_code == 0, done.stderr
    assert "101 of 401 tokens removed, 300 left" in done.stderr
    expected = superword.prune(tok, DOCUMENTS, to=300)
    assert import_tokenizer(output).fingerprint == expected.tokenizer.fingerprint
    written = json.loads((output / "id_map.json").read_text())
    assert written == {
        "kept": [list(each) for each in expected.kept.items()],
        "removed": [list(each) for each in expected.removed.items()],
    }
    assert (output / "report.md").read_text().startswith("101 of 401 tokens removed")
    done = CliRunner().invoke(app, ["inspect", str(output / "superword.json")])
    assert "101, by pruning" in done.stdout
    done = CliRunner().invoke(app, ["explain", str(output / "superword.json"), "quietly"])
    assert done.stdout.splitlines()[-1].startswith("removed")
    done = CliRunner().invoke(app, ["prune", *arguments, "--min-count", "3"])
    assert done.exit_code == 1 and "one of to" in done.stderr
