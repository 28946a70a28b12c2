"""`reproduce` on a few pages, its settings and its steps."""

from __future__ import annotations

import csv
import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import superword
from superword.corpus import open_corpus
from superword.evaluation import ScriptTotals
from superword.reproduction import (
    ReproductionSettings,
    Results,
    experiment,
    read_settings,
    reproduce,
    write_outputs,
)
from superword.reproduction.figures import FIGURES
from superword.reproduction.lineup import build_lineup
from superword.reproduction.report import build_script_section
from superword.reproduction.results import BOUNDLESS_4O
from superword.reproduction.steps import Steps

SIZES = (300, 350, 400)


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> ReproductionSettings:
    folder = tmp_path_factory.mktemp("reproduced")
    novels = list(superword.sample())
    for name, part in (("train", novels[:10]), ("eval", novels[10:12])):
        rows = [{"text": text[:9000], "source": f"s/{at}"} for at, text in enumerate(part)]
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return ReproductionSettings(
        train=(str(folder / "train.jsonl"),),
        eval=(str(folder / "eval.jsonl"),),
        out=folder / "out",
        vocab_sizes=SIZES,
        baseline_bytes={"unigram": 40_000},
        transition=0,
        sources={"first": ["s/0"]},
    )


@pytest.fixture(scope="module")
def results(settings: ReproductionSettings) -> Results:
    results = reproduce(settings)
    write_outputs(results, settings)
    return results


def test_everything_is_measured_at_every_size(results: Results) -> None:
    assert set(results.measured) == {(key, size) for key in results.lineup for size in SIZES}
    assert len(results.lineup) == 3 + 2 * 5 + 1
    for (key, size), measured in results.measured.items():
        assert measured.altered == 0, key
        if results.lineup[key].baseline != "unigram":
            assert measured.vocab_size == size, key


def test_models_have_no_cap_whatever_the_defaults(
    settings: ReproductionSettings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    given: list[dict[str, Any]] = []

    def train(corpus: object, vocab_size: int, **options: Any) -> Any:
        given.append(options)
        return superword.train(["to be or not to be"] * 2, 258)

    monkeypatch.setattr(experiment, "train", train)
    run = experiment.Experiment(settings, Steps(tmp_path), False)
    [spec] = [each for each in build_lineup() if each.key == BOUNDLESS_4O]
    run.train(spec, 300, tmp_path / "model.json")
    assert given[0]["max_superwords"] is None


def test_a_smaller_vocabulary_is_the_one_trained_at_that_size(
    results: Results, settings: ReproductionSettings
) -> None:
    trained = superword.train(settings.train[0], 300, pattern="gpt4o")
    documents = open_corpus(settings.eval[0]).documents()
    tokens = sum(len(trained.encode(document)) for document in documents)
    assert results.measured[BOUNDLESS_4O, 300].tokens == tokens


def test_figures_and_tables_are_written_in_every_format(
    results: Results, settings: ReproductionSettings
) -> None:
    figures = settings.out / "figures"
    for figure in FIGURES:
        stem = figures / f"figure-{figure.number}-{figure.name}"
        assert stem.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
        assert ElementTree.parse(stem.with_suffix(".svg")).getroot().tag.endswith("svg")
        with stem.with_suffix(".csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        as_json = json.loads(stem.with_suffix(".json").read_text())
        assert [list(map(str, row.values())) for row in as_json] == [
            list(row.values()) for row in rows
        ]
    seventh = json.loads((figures / "figure-7-bytes-per-token.json").read_text())
    mine = [row for row in seventh if row["tokenizer"] == "BoundlessBPE (4o)"]
    assert [row["vocab_size"] for row in mine] == list(SIZES)
    assert mine[0]["bytes_per_token"] == results.measured[BOUNDLESS_4O, 300].bytes_per_token
    tables = settings.out / "tables"
    assert len(json.loads((tables / "table-1-ablation.json").read_text())) == 12
    assert (tables / "table-3-ablation.md").read_text().count("\n") == 8


def test_the_report_has_a_table_by_script_and_says_which_lose(results: Results) -> None:
    size = SIZES[-1]
    measured = dict(results.measured)

    def add_greek(key: str, tokens: int) -> None:
        scripts = measured[key, size].scripts | {"Greek": ScriptTotals(30_000, tokens)}
        measured[key, size] = replace(measured[key, size], scripts=scripts)

    add_greek("bpe", 10_000)
    add_greek(BOUNDLESS_4O, 12_000)
    section = build_script_section(replace(results, measured=measured))
    assert f"Bytes per token by script, vocabulary {size:,}" in section
    [greek] = re.findall(r"<tr><td[^>]*>Greek</td>.*?</tr>", section)
    cells = re.findall(r"<td[^>]*>(.*?)</td>", greek)
    labels = dict(zip(results.main_keys, cells[2:], strict=True))
    assert cells[1] == "0.03"
    assert (labels["bpe"], labels[BOUNDLESS_4O], labels["wordpiece"]) == ("3.000", "2.500", "–")
    latin = results.measured[BOUNDLESS_4O, size].scripts["Latin"]
    assert f"{latin.bytes / latin.tokens:.3f}" in section
    assert "Against BPE, BoundlessBPE (4o) loses on Greek (-16.7%)." in section
    without = {key: replace(each, scripts={}) for key, each in measured.items()}
    assert build_script_section(replace(results, measured=without)) == ""


class Links(HTMLParser):
    """Collects what a page loads from other files."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        self.loaded += [value for name, value in attributes if name in ("src", "srcset")]
        self.loaded += [tag] if tag in ("link", "script", "iframe") else []


def test_the_report_is_self_contained(results: Results, settings: ReproductionSettings) -> None:
    page = (settings.out / "report.html").read_text()
    assert build_script_section(results) in page
    links = Links()
    links.feed(page)
    assert links.loaded == []
    for figure in FIGURES:
        assert f"<b>Figure {figure.number}.</b>" in page
    assert "Table 1" in page and "Table 3" in page
    assert "BoundlessBPE (4o), 0.04 MB" in page
    assert "first" in page and "s/0" not in page


def test_a_second_run_rebuilds_nothing(results: Results, settings: ReproductionSettings) -> None:
    done: list[str] = []
    again = reproduce(settings, log=done.append)
    assert done == []
    assert again.measured == results.measured


def test_a_missing_file_is_rebuilt(results: Results, settings: ReproductionSettings) -> None:
    (settings.out / "measurements" / f"{BOUNDLESS_4O}-300.json").unlink()
    done: list[str] = []
    reproduce(settings, log=done.append)
    [line] = done
    assert re.fullmatch(rf"step \d+ of \d+: measurements/{BOUNDLESS_4O}-300.json", line)


def test_a_step_is_rebuilt_if_its_inputs_change_or_it_failed(tmp_path: Path) -> None:
    made: list[str] = []

    def make(path: Path) -> None:
        made.append(path.name)
        path.write_text("made")

    for inputs in ("a", "a", "b"):
        Steps(tmp_path).build("x/y.txt", inputs, make)
    assert made == ["y.txt", "y.txt"]

    def fail(path: Path) -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        Steps(tmp_path).build("z.txt", "a", fail)
    Steps(tmp_path).build("z.txt", "a", make)
    assert made[-1] == "z.txt"


def test_settings_come_from_a_file_and_the_command_line(tmp_path: Path) -> None:
    config = tmp_path / "paper.toml"
    config.write_text(
        'train = "a.jsonl"\neval = ["b.jsonl"]\nout = "x"\nvocab-sizes = [900, 300]\n'
        'train-bytes = "1.5MB"\n[baseline_bytes]\nunigram = 5\nbpe = "5MB"\n'
    )
    given: dict[str, Any] = {
        "out": Path("y"),
        "train": None,
        "vocab_sizes": [],
        "eval_bytes": "2 kB",
    }
    found = read_settings(config, given)
    assert (found.train, found.eval, found.out) == (("a.jsonl",), ("b.jsonl",), Path("y"))
    assert found.vocab_sizes == (300, 900)
    assert found.baseline_bytes == {"unigram": 5, "bpe": 5_000_000}
    assert (found.train_bytes, found.eval_bytes) == (1_500_000, 2000)
    config.write_text('train = "a.jsonl"\neval = "b.jsonl"\noutput = "x"\n')
    assert read_settings(config, {}).out == Path("x")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("train = 'a'\neval = 'b'", "pass --output"),
        ("vocabulary = 3", "unknown setting vocabulary; choose from"),
        ("train = ", "not TOML"),
        ("out = 'a'\noutput = 'b'", "unknown setting output"),
        ("train = 'a'\neval = 'b'\nout = 'c'\ntrain_bytes = 'x'", "train_bytes: a size must be"),
        ("train = 'a'\neval = 'b'\nout = 'c'\neval_bytes = 0", "eval_bytes must be at least 1"),
        ("train = 'a'\neval = 'b'\nout = 'c'\nbaselines = ['x']", "unknown baseline x"),
        ("train = 'a'\neval = 'b'\nout = 'c'\nvocab_sizes = [10]", "at least 257"),
        ("train = 'a'\neval = 'b'\nout = 'c'\ntransition = 2.0", "at least 0 and below 1"),
    ],
)
def test_invalid_settings_are_refused(tmp_path: Path, content: str, sentence: str) -> None:
    config = tmp_path / "paper.toml"
    config.write_text(content)
    with pytest.raises(ValueError, match=sentence):
        read_settings(config, {})
