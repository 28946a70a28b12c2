"""Totals by script, against counting character by character."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import superword
from superword.evaluation import (
    SCRIPTS,
    Measurement,
    Ours,
    ScriptTotals,
    compare,
    compare_measurements,
    describe_script_losses,
    evaluate,
    find_losing_scripts,
)
from superword.evaluation.scripts import count_scripts, load_script_table, name_scripts

ALPHABET = "ab é Яя, Ωω.漢字 かカー 한글\nنص ไทย हिन्दी ქართ 12!🙂\u0301"
GENERATOR = Path(__file__).parents[3] / "scripts/generate_script_ranges.py"
KINDS = [
    {"deletion": None, "supermerges": False},
    {"supermerges": False},
    {},
    {"deletion": "pair"},
    {"transition": 262, "deletion": None, "supermerges": False},
]


def count_slowly(texts: list[str], tokens: list[list[bytes]]) -> dict[str, ScriptTotals]:
    """Find the script of each byte, then that of the first byte of each token."""
    table = load_script_table()
    sums = {script: [0, 0] for script in SCRIPTS}
    for text, pieces in zip(texts, tokens, strict=True):
        scripts = [int(table[ord(each)]) for each in text]
        of_bytes = []
        for at, each in enumerate(text):
            after = [script for script in scripts[at:] if script]
            before = [script for script in scripts[:at] if script]
            script = after[0] if after else before[-1] if before else len(SCRIPTS)
            of_bytes += [SCRIPTS[script - 1]] * len(each.encode())
        for name in of_bytes:
            sums[name][0] += 1
        start = 0
        for piece in pieces:
            sums[of_bytes[start]][1] += 1
            start += len(piece)
        assert start == len(of_bytes)
    return {script: ScriptTotals(*each) for script, each in sums.items() if each[0]}


@given(st.lists(st.text(ALPHABET, max_size=30), max_size=6), st.randoms(use_true_random=False))
def test_totals_match_counting(texts: list[str], choices: random.Random) -> None:
    tokens = []
    for text in texts:
        rest, pieces = text.encode(), []
        while rest:
            size = choices.randint(1, 9)
            pieces.append(rest[:size])
            rest = rest[size:]
        tokens.append(pieces)
    ends = np.cumsum([len(each) for pieces in tokens for each in pieces], dtype=np.int64)
    assert name_scripts(count_scripts(texts, ends)) == count_slowly(texts, tokens)


def test_the_table_is_that_of_the_generator() -> None:
    spec = importlib.util.spec_from_file_location("generate_script_ranges", GENERATOR)
    assert spec and spec.loader
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    table = load_script_table()
    assert len(table) == 0x110000
    chosen = random.Random(7).sample(range(0x20000), 3000)
    for code in [*chosen, *map(ord, ALPHABET), 0x20000, 0x10FFFF]:
        assert table[code] == generator.find_script(chr(code)), hex(code)


@pytest.mark.parametrize("options", KINDS)
def test_scripts_of_every_kind_of_model_add_up(options: dict[str, object]) -> None:
    texts = ["to be или не быть, to be", "漢字とかな 漢字とかな", "ไทย ไทย 12", "34", ""] * 3
    tok = Ours(superword.train(texts, 266, **options))  # type: ignore[arg-type]
    measured = evaluate(tok, texts)
    assert measured.scripts == count_slowly(texts, list(map(tok.tokenize, texts)))
    assert sum(each.tokens for each in measured.scripts.values()) == measured.tokens
    assert sum(each.bytes for each in measured.scripts.values()) == measured.bytes


def test_altered_documents_are_left_out() -> None:
    class Letters(Ours):
        def encode_batch(self, texts, threads=1):  # type: ignore[no-untyped-def]
            return super().encode_batch([text.replace("ü", "u") for text in texts], threads)

    tok = Letters(superword.train(["to be to be"], 258))
    measured = evaluate(tok, ["to be", "für да"])
    assert measured.altered == 1
    assert list(measured.scripts) == ["Latin"]


def test_losing_scripts_are_said() -> None:
    english = superword.train(["to be, to be"], 258)
    greek = superword.train(["να είναι να είναι"], 258)
    corpus = ["to be", "να είναι", "да"]
    measured = compare({"english": english, "greek": greek}, corpus)
    assert list(find_losing_scripts(measured[1], measured[0])) == ["Latin"]
    assert list(find_losing_scripts(measured[0], measured[1])) == ["Greek"]
    [sentence] = describe_script_losses(measured)
    assert sentence == "Against english, greek loses on Latin (-60.0%)."
    assert describe_script_losses(measured[:1]) == []
    [sentence] = describe_script_losses([measured[0], measured[0]])
    assert sentence == "Against english, english loses on no script."
    changes = compare_measurements(measured)[1]["script_differences"]
    assert isinstance(changes, dict) and changes["Latin"] == -0.6 and changes["Cyrillic"] == 0


def test_measurements_without_scripts_are_loaded(tmp_path: Path) -> None:
    measured = evaluate(superword.train(["to be, to be"], 258), ["to be да"])
    path = tmp_path / "measured.json"
    measured.save(path)
    assert Measurement.load(path).scripts == measured.scripts
    text = path.read_text()
    at = text.index(', "scripts"')
    path.write_text(text[:at] + "}")
    assert Measurement.load(path).scripts == {}
