"""`superword train`, through the installed command."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest
from command_line import run_command

import superword

COMMAND = Path(sys.executable).parent / "superword"
DOCUMENTS = ["to be or not to be", "to be", "or not"]


def run(*arguments: str | Path, text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return run_command("train", *arguments, text=text)


def json_lines(documents: list[str]) -> bytes:
    return "".join(json.dumps({"text": text}) + "\n" for text in documents).encode()


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.jsonl"
    path.write_bytes(json_lines(DOCUMENTS))
    return path


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "models" / "model.json"


@pytest.fixture(autouse=True)
def folder_of_models(output: Path) -> None:
    output.parent.mkdir()


def test_a_url_keeps_both_its_slashes(corpus: Path, output: Path) -> None:
    done = run(corpus.as_uri(), "-o", output, "--vocab-size", "258")
    assert done.returncode == 0, done.stderr
    assert superword.load(output).training.documents == len(DOCUMENTS)


def test_a_missing_folder_is_noticed_before_training(corpus: Path, tmp_path: Path) -> None:
    done = run(corpus, "-o", tmp_path / "none/model.json", "--vocab-size", "258")
    (sentence,) = done.stderr.decode().splitlines()
    assert done.returncode == 1
    assert sentence == f"superword: {tmp_path / 'none'}: no such folder; make it first"


def refusal(done: subprocess.CompletedProcess[bytes], output: Path) -> str:
    """Return the sentence of a command that failed and wrote nothing."""
    lines = done.stderr.decode().splitlines()
    sentences = [line for line in lines if not line.startswith('{"stage"')]
    assert done.returncode == 1, lines
    assert done.stdout == b""
    assert list(output.parent.iterdir()) == []
    (sentence,) = sentences
    assert sentence.startswith("superword: ")
    return sentence


def test_a_file_gives_the_model_that_python_gives(corpus: Path, output: Path) -> None:
    done = run(corpus, "-o", output, "--vocab-size", "260")
    assert done.returncode == 0
    superword.train(DOCUMENTS, 260).save(corpus.with_name("python.json"))
    assert output.read_bytes() == corpus.with_name("python.json").read_bytes()


@pytest.mark.parametrize(
    ("typed", "cap"), [("1", 1), ("0.004", 0.004), ("1/64", 1 / 64), ("none", None)]
)
def test_a_cap_is_a_number_or_a_share(
    corpus: Path, output: Path, typed: str, cap: float | None
) -> None:
    run(corpus, "-o", output, "--vocab-size", "260", "--max-superwords", typed)
    assert superword.load(output) == superword.train(DOCUMENTS, 260, max_superwords=cap)


def test_limits_are_those_of_python(corpus: Path, output: Path) -> None:
    limits = ["--max-words", "1", "--max-token-bytes", "3", "--forbid", "^ b"]
    run(corpus, "-o", output, "--vocab-size", "259", *limits)
    wanted = superword.train(DOCUMENTS, 259, max_words=1, max_token_bytes=3, forbid="^ b")
    assert superword.load(output) == wanted


@pytest.mark.parametrize("typed", ["few", "1.5", "3/2", "1/0", "1/"])
def test_a_cap_that_makes_no_sense_ends_in_one_sentence(
    corpus: Path, output: Path, typed: str
) -> None:
    done = run(corpus, "-o", output, "--vocab-size", "260", "--max-superwords", typed)
    assert re.search("must be an? (number|integer).* a share", refusal(done, output))


def test_the_summary_is_on_standard_error(corpus: Path, output: Path) -> None:
    done = run(corpus, "-o", output, "--vocab-size", "260", "--progress", "none")
    first, second, speed, following = done.stderr.decode().splitlines()
    kinds = [rule.kind for rule in superword.load(output).rules]
    assert first == (
        f"{output}: 260 tokens from {kinds.count('merge')} merges, {kinds.count('supermerge')} "
        f"supermerges and {kinds.count('delete')} deletions; smallest count 2"
    )
    assert second.startswith("longest superwords: to be")
    assert re.fullmatch(r"\d+\.\d\d seconds for 29 bytes of text: \d+\.\d\d MB/s", speed)
    assert following == (f'next: superword inspect {output}; superword encode {output} "some text"')
    assert done.stdout == b""


def test_what_to_do_next_can_be_pasted(corpus: Path, output: Path) -> None:
    spaced = output.with_name("my model.json")
    done = run(corpus, "-o", spaced, "--vocab-size", "260", "--progress", "none")
    following = done.stderr.decode().splitlines()[-1].removeprefix("next: ")
    for command in following.split("; "):
        shell = command.replace("superword", str(COMMAND), 1)
        assert subprocess.run(shell, shell=True, capture_output=True).returncode == 0


def test_the_summary_is_json_where_that_is_asked_for(corpus: Path, output: Path) -> None:
    options = ["--vocab-size", "260", "--progress", "none", "--json"]
    done = run(corpus, "-o", output, *options)
    found = json.loads(done.stdout)
    assert done.stderr == b""
    assert (found["output"], found["stage"], found["done"]) == (str(output), "model", True)
    assert (found["documents"], found["bytes"], found["vocab_size"]) == (3, 29, 260)
    assert found["fingerprint"] == superword.load(output).fingerprint


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (json_lines(DOCUMENTS), []),
        (gzip.compress(json_lines(DOCUMENTS)), []),
        ("\n".join(DOCUMENTS).encode(), ["--separator", "\n"]),
    ],
    ids=["JSON lines", "packed", "text"],
)
def test_standard_input_gives_the_model_of_the_file(
    corpus: Path, output: Path, text: bytes, options: list[str]
) -> None:
    assert run("-", "-o", output, "--vocab-size", "260", *options, text=text).returncode == 0
    assert superword.load(output) == superword.train(corpus, 260)


def test_several_files_folders_and_globs_are_read(tmp_path: Path, output: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.txt").write_text(DOCUMENTS[0])
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(json_lines(DOCUMENTS[1:2])))
    (tmp_path / "c1.txt").write_text(DOCUMENTS[2])
    paths = [tmp_path / "folder", tmp_path / "b.jsonl.gz", tmp_path / "c?.txt"]
    assert run(*paths, "-o", output, "--vocab-size", "260").returncode == 0
    assert superword.load(output) == superword.train(DOCUMENTS, 260)


def test_every_option_reaches_training(corpus: Path, output: Path) -> None:
    options: list[str] = []
    given: dict[str, Any] = {
        "pattern": "gpt2",
        "eligible": "[a-z ]+",
        "tau": 0.5,
        "min_count": 1,
        "max_documents": 2,
        "max_bytes": 1000,
        "threads": 2,
        "verify_every": 1,
    }
    for name, value in given.items():
        options += [f"--{name.replace('_', '-')}", str(value)]
    options += ["--deletion", "pair", "--special-token", "<s>", "--special-token", "to be"]
    assert run(corpus, "-o", output, "--vocab-size", "262", *options).returncode == 0
    tok = superword.load(output)
    assert tok == superword.train(
        corpus, 262, deletion="pair", special_tokens=["<s>", "to be"], **given
    )
    assert tok.special_tokens == {"<s>": 262, "to be": 263}
    assert tok.training.documents == 2


def test_plain_bpe_has_merges_only(corpus: Path, output: Path) -> None:
    done = run(
        *(corpus, "-o", output, "--vocab-size", "260"),
        *("--no-supermerges", "--deletion", "none", "--progress", "none"),
    )
    assert done.returncode == 0
    tok = superword.load(output)
    assert {rule.kind for rule in tok.rules} == {"merge"}
    assert (tok.parameters.supermerges, tok.parameters.deletion) == (False, None)
    assert "superwords" not in done.stderr.decode()


def test_progress_is_json_lines_where_there_is_no_terminal(corpus: Path, output: Path) -> None:
    corpus.write_bytes(json_lines(list(superword.sample())))
    done = run(corpus, "-o", output, "--vocab-size", "1000", "--verify-every", "1")
    lines = [json.loads(line) for line in done.stderr.decode().splitlines() if line[0] == "{"]
    assert lines
    assert all(line.keys() == {"stage", "done", "total"} for line in lines)
    assert "merges" in [line["stage"] for line in lines]
    assert all(0 <= line["done"] <= line["total"] for line in lines)


def test_a_second_stage_gives_the_model_that_python_gives(corpus: Path, output: Path) -> None:
    plain = ["--no-supermerges", "--deletion", "none", "--pattern", "gpt2"]
    stage = ["--transition", "257", "--second-pattern", "(?:or)"]
    done = run(corpus, "-o", output, "--vocab-size", "259", *plain, *stage)
    assert done.returncode == 0, done.stderr
    expected = superword.train(
        DOCUMENTS,
        259,
        pattern="gpt2",
        supermerges=False,
        deletion=None,
        transition=257,
        second_pattern="(?:or)",
    )
    assert superword.load(output) == expected


def test_warnings_are_sentences_too(corpus: Path, output: Path) -> None:
    corpus.write_bytes(corpus.read_bytes() + b"[]\n")
    options = ["--vocab-size", "1000", "--on-error", "skip", "--progress", "none"]
    done = run(corpus, "-o", output, *options)
    assert done.returncode == 0
    said = done.stderr.decode()
    assert "superword: the corpus has pairs for " in said
    assert "superword: skipped input that cannot be read:\n" in said
    assert "line 4" in said
    assert "Warning" not in said
    assert output.exists()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--vocab-size", "255"], "vocab_size must be at least 256, the single bytes, not 255"),
        (["--vocab-size", "300", "--tau", "1.1"], "tau must be above 0 and at most 1, not 1.1"),
        (["--vocab-size", "300", "--pattern", "a(b"], "cannot read the regex at position 3: "),
        (["--vocab-size", "300", "--column", "body"], "corpus.jsonl, line 1, column 'body': "),
        (["--vocab-size", "300", "--special-token", ""], "empty"),
        (["--vocab-size", "300", "--transition", "280"], "transition (SuperBPE) needs "),
    ],
)
def test_invalid_options_end_in_one_sentence(
    corpus: Path, output: Path, options: list[str], sentence: str
) -> None:
    assert sentence in refusal(run(corpus, "-o", output, *options), output)


def test_unreadable_input_ends_in_one_sentence(tmp_path: Path, output: Path) -> None:
    missing = tmp_path / "missing.jsonl"
    done = run(missing, "-o", output, "--vocab-size", "300")
    assert refusal(done, output) == f"superword: {missing}: No such file or directory"
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_bytes(json_lines(DOCUMENTS) + b'{"text": "to')
    done = run(damaged, "-o", output, "--vocab-size", "300")
    assert f"{damaged}, line 4" in refusal(done, output)
    done = run("-", "-o", output, "--vocab-size", "300", text=b"")
    assert "the corpus holds no text" in refusal(done, output)
    done = run("-", "-o", output, "--vocab-size", "300", text=b"to\xffbe")
    assert "UTF-8" in refusal(done, output)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full, a disk that is full")
def test_a_model_that_cannot_be_written_ends_in_one_sentence(corpus: Path, output: Path) -> None:
    done = run(corpus, "-o", "/dev/full", "--vocab-size", "257")
    assert "No space left on device" in refusal(done, output)


def test_an_existing_model_stays_when_training_fails(corpus: Path, output: Path) -> None:
    output.write_text("what was there")
    assert run(corpus, "-o", output, "--vocab-size", "10").returncode == 1
    assert output.read_text() == "what was there"
    assert list(output.parent.iterdir()) == [output]


def test_help_shows_examples() -> None:
    shown = run("--help").stdout.decode()
    for example in (
        "superword train corpus/*.jsonl.zst -o model.json --vocab-size 131072",
        "--no-supermerges --deletion none",
        "zcat dump.jsonl.gz | superword train - -o model.json",
    ):
        assert example in " ".join(shown.split())


def start(*arguments: str | Path, temporary: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [COMMAND, "train", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(temporary)},
    )


def assert_interrupted(process: subprocess.Popen[bytes], output: Path, temporary: Path) -> None:
    """Send SIGINT; the command must end soon, with a sentence, and leave no file."""
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    try:
        process.wait(30)
    finally:
        process.kill()
    assert time.monotonic() - sent < 5
    _, said = process.communicate()
    assert process.returncode == 130
    assert said.decode().splitlines()[-1] == "superword: interrupted"
    assert b"Traceback" not in said
    assert list(output.parent.iterdir()) == []
    assert list(temporary.iterdir()) == []


def long_stage(stage: str) -> bytes:
    """Return a corpus for which a stage of training takes long."""
    if stage == "supermerges":
        # Few words, so few merges, in many orders.
        random = Random(0)
        words = [left + right for left in "abcdefgh" for right in "aeiou"]
        return json_lines([" ".join(random.choices(words, k=25)) for _ in range(10_000)])
    return json_lines(list(superword.sample())) * (12 if stage == "count" else 2)


@pytest.mark.parametrize("stage", ["count", "merges", "supermerges"])
def test_control_c_stops_training(tmp_path: Path, output: Path, stage: str) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_bytes(long_stage(stage))
    # Recounting everything after each rule takes very long.
    options = ["--vocab-size", "8192", "--verify-every", "1", "--progress", "json"]
    process = start(corpus, "-o", output, *options, temporary=temporary)
    assert process.stderr is not None
    while stage != json.loads(process.stderr.readline())["stage"]:
        pass
    assert_interrupted(process, output, temporary)


def test_control_c_stops_reading_standard_input(tmp_path: Path, output: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    process = start("-", "-o", output, "--vocab-size", "300", temporary=temporary)
    assert process.stdin is not None
    # More than a pipe holds: once it is written, the command has started to read. A moment later it
    # waits for more.
    process.stdin.write(b"to be or not to be " * 100_000)
    process.stdin.flush()
    time.sleep(1)
    assert_interrupted(process, output, temporary)


def test_documents_are_weighted_by_file_and_by_column(tmp_path: Path) -> None:
    rows = [{"text": text, "kind": kind} for text, kind in zip(DOCUMENTS, "aba", strict=True)]
    (tmp_path / "plays.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "web.txt").write_text("or not to see")
    model = tmp_path / "model.json"
    common = ("-o", model, "--vocab-size", "260", "--progress", "none")
    done = run(tmp_path, *common, "--weight", "plays=2,*=0")
    assert done.returncode == 0, done.stderr
    assert superword.load(model) == superword.train(DOCUMENTS * 2, 260)
    plays = tmp_path / "plays.jsonl"
    done = run(plays, *common, "--weight", "b=3,*=1", "--weight-column", "kind")
    assert done.returncode == 0, done.stderr
    assert superword.load(model) == superword.train([*DOCUMENTS, *DOCUMENTS[1:2] * 2], 260)
    for weights, sentence in (
        ("a=2", b"line 2, column 'kind': weights do not name the source \"b\""),
        ("c=2,*=1", b'weights name the source "c", which no document has'),
        ("a=1.5,*=1", b"the weight of 'a' must be an integer from 0 on, not '1.5'"),
    ):
        done = run(plays, *common, "--weight", weights, "--weight-column", "kind")
        assert done.returncode == 1
        assert sentence in done.stderr
        assert done.stderr.count(b"\n") == 1
