"""The whole of `reproduce`, on a few pages; and its settings and steps."""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import superword
from superword.corpus import open_corpus
from superword.evaluation.figures import FIGURES
from superword.evaluation.outputs import write_outputs
from superword.evaluation.reproduction import reproduce
from superword.evaluation.results import OURS, Results
from superword.evaluation.settings import Settings, read_settings
from superword.evaluation.steps import Steps

SIZES = (300, 350, 400)


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    folder = tmp_path_factory.mktemp("reproduced")
    novels = list(superword.sample())
    for name, part in (("train", novels[:10]), ("eval", novels[10:12])):
        rows = [{"text": text[:9000], "source": f"s/{at}"} for at, text in enumerate(part)]
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return Settings(
        train=(str(folder / "train.jsonl"),),
        eval=(str(folder / "eval.jsonl"),),
        out=folder / "out",
        vocab_sizes=SIZES,
        baseline_bytes={"unigram": 40_000},
        transition=0,
        sources={"first": ["s/0"]},
    )


@pytest.fixture(scope="module")
def results(settings: Settings) -> Results:
    results = reproduce(settings)
    write_outputs(results, settings)
    return results


def test_everything_is_measured_at_every_size(results: Results) -> None:
    assert set(results.measured) == {(key, size) for key in results.contestants for size in SIZES}
    assert len(results.contestants) == 3 + 2 * 5 + 1
    for (key, size), measured in results.measured.items():
        assert measured.altered == 0, key
        if results.contestants[key].baseline != "unigram":
            assert measured.vocab_size == size, key


def test_a_smaller_vocabulary_is_the_one_trained_at_that_size(
    results: Results, settings: Settings
) -> None:
    trained = superword.train(settings.train[0], 300, pattern="gpt4o")
    documents = open_corpus(settings.eval[0]).documents()
    tokens = sum(len(trained.encode(document)) for document in documents)
    assert results.measured[OURS, 300].tokens == tokens


def test_figures_and_tables_are_written_in_every_form(results: Results, settings: Settings) -> None:
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
    assert mine[0]["bytes_per_token"] == results.measured[OURS, 300].bytes_per_token
    tables = settings.out / "tables"
    assert len(json.loads((tables / "table-1-ablation.json").read_text())) == 12
    assert (tables / "table-3-ablation.md").read_text().count("\n") == 8


class Links(HTMLParser):
    """What a page loads from elsewhere, and which elements stay open."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        self.loaded += [value for name, value in attributes if name in ("src", "srcset")]
        self.loaded += [tag] if tag in ("link", "script", "iframe") else []


def test_the_report_needs_nothing_but_itself(results: Results, settings: Settings) -> None:
    page = (settings.out / "report.html").read_text()
    links = Links()
    links.feed(page)
    assert links.loaded == []
    for figure in FIGURES:
        assert f"<b>Figure {figure.number}.</b>" in page
    assert "Table 1" in page and "Table 3" in page
    assert "BoundlessBPE (4o), 0.04 MB" in page
    assert "first" in page and "s/0" not in page


def test_a_second_run_makes_nothing_anew(results: Results, settings: Settings) -> None:
    done: list[str] = []
    again = reproduce(settings, say=done.append)
    assert done == []
    assert again.measured == results.measured


def test_what_is_gone_or_changed_is_made_anew(results: Results, settings: Settings) -> None:
    (settings.out / "measurements" / f"{OURS}-300.json").unlink()
    done: list[str] = []
    reproduce(settings, say=done.append)
    assert done == [f"measurements/{OURS}-300.json"]


def test_steps_are_remembered(tmp_path: Path) -> None:
    made: list[str] = []

    def make(path: Path) -> None:
        made.append(path.name)
        path.write_text("made")

    for made_from in ("a", "a", "b"):
        Steps(tmp_path).do("x/y.txt", made_from, make)
    assert made == ["y.txt", "y.txt"]

    def fail(path: Path) -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        Steps(tmp_path).do("z.txt", "a", fail)
    Steps(tmp_path).do("z.txt", "a", make)
    assert made[-1] == "z.txt"


def test_settings_come_from_a_file_and_the_command_line(tmp_path: Path) -> None:
    config = tmp_path / "paper.toml"
    config.write_text(
        'train = "a.jsonl"\neval = ["b.jsonl"]\nout = "x"\nvocab-sizes = [900, 300]\n'
        "[baseline_bytes]\nunigram = 5\n"
    )
    found = read_settings(config, {"out": Path("y"), "train": None, "vocab_sizes": []})
    assert (found.train, found.eval, found.out) == (("a.jsonl",), ("b.jsonl",), Path("y"))
    assert found.vocab_sizes == (300, 900)
    assert found.baseline_bytes == {"unigram": 5}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("train = 'a'\neval = 'b'", "say --out"),
        ("vocabulary = 3", "no such setting: vocabulary; there are"),
        ("train = ", "not TOML"),
        ("train = 'a'\neval = 'b'\nout = 'c'\nbaselines = ['x']", "no such baseline: x"),
        ("train = 'a'\neval = 'b'\nout = 'c'\nvocab_sizes = [10]", "at least 257"),
        ("train = 'a'\neval = 'b'\nout = 'c'\ntransition = 2.0", "a share from 0 to 1"),
    ],
)
def test_impossible_settings_are_refused(tmp_path: Path, content: str, sentence: str) -> None:
    config = tmp_path / "paper.toml"
    config.write_text(content)
    with pytest.raises(ValueError, match=sentence):
        read_settings(config, {})
