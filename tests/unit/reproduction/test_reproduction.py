"""`reproduce` on a few pages, its settings and its steps."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
import warnings
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import superword
from superword.corpus import open_corpus
from superword.errors import SuperwordError
from superword.evaluation import ScriptTotals, evaluate
from superword.reproduction import (
    ReproductionSettings,
    Results,
    experiment,
    read_settings,
    reproduce,
    write_outputs,
)
from superword.reproduction.figures import FIGURES
from superword.reproduction.lineup import boundless_key, build_lineup
from superword.reproduction.own_metrics import OwnMetric
from superword.reproduction.report import build_script_section, build_source_section
from superword.reproduction.results import BOUNDLESS_4O
from superword.reproduction.settings import format_toml
from superword.reproduction.steps import Steps, digest

SIZES = (300, 350, 400)
OWN_METRIC = """
def letters_per_token(measured, tok):
    lengths = [len(token.decode("utf-8", "ignore")) for token in tok.vocabulary.values()]
    return (measured.counts * lengths).sum() / measured.tokens
"""


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> ReproductionSettings:
    folder = tmp_path_factory.mktemp("reproduced")
    novels = list(superword.sample())
    for name, part in (("train", novels[:10]), ("eval", novels[10:12])):
        rows = [{"text": text[:9000], "source": f"s/{at}"} for at, text in enumerate(part)]
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    superword.train(novels[:3], 320).save(folder / "own.json")
    (folder / "metrics.py").write_text(OWN_METRIC)
    return ReproductionSettings(
        train=(str(folder / "train.jsonl"),),
        eval=(str(folder / "eval.jsonl"),),
        out=folder / "out",
        vocab_sizes=SIZES,
        baseline_bytes={"unigram": 40_000},
        transition=0,
        tau=(0.9, 0.7),
        min_count=(40,),
        patterns=(r"\w+|\W",),
        tokenizers=(str(folder / "own.json"),),
        metrics=(f"{folder / 'metrics.py'}:letters_per_token",),
        sources={"first": ["s/0"]},
    )


@pytest.fixture(scope="module")
def results(settings: ReproductionSettings) -> Results:
    results = reproduce(settings)
    write_outputs(results, settings)
    return results


def test_everything_is_measured_at_every_size(results: Results) -> None:
    assert set(results.measured) == {(key, size) for key in results.lineup for size in SIZES}
    # The paper's; the default cap, also on the text of UnigramLM; tau and min_count; a pattern.
    assert len(results.lineup) == 3 + 2 * 5 + 1 + 2 + 2 + 2
    for (key, size), measured in results.measured.items():
        assert measured.altered == 0, key
        if results.lineup[key].baseline != "unigram" and key != "boundless-min-count-40":
            assert measured.vocab_size == size, key


def test_only_variations_have_parameters_that_are_not_the_papers(
    settings: ReproductionSettings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    given: list[dict[str, Any]] = []

    def train(corpus: object, vocab_size: int, **options: Any) -> Any:
        given.append({name: options[name] for name in ("max_superwords", "tau", "min_count")})
        return superword.train(["to be or not to be"] * 2, 258)

    monkeypatch.setattr(experiment, "train", train)
    run = experiment.Experiment(settings, Steps(tmp_path), False)
    for spec in build_lineup([], variations=settings.variations):
        run.train(spec, 300, tmp_path / "model.json")
    usual: dict[str, Any] = {"max_superwords": None, "tau": 0.9, "min_count": 2}
    # The paper's ten models, then the variations, one parameter at a time.
    assert given[:10] == [usual] * 10
    assert given[10:13] == [
        usual | {"max_superwords": 1 / 16},
        usual | {"tau": 0.7},
        usual | {"min_count": 40},
    ]
    assert given[13:] == [usual] * 2


def test_a_variation_is_the_model_trained_with_that_value(
    results: Results, settings: ReproductionSettings
) -> None:
    documents = list(open_corpus(settings.eval[0]).documents())
    changes: dict[str, dict[str, Any]] = {
        "boundless-tau-0.7": {"tau": 0.7, "max_superwords": None},
        "boundless-min-count-40": {"min_count": 40, "max_superwords": None},
        "boundless-cap-0.0625": {},
    }
    regex = settings.patterns[0]
    changes[boundless_key(digest(regex), "bytes")] = {"pattern": regex, "max_superwords": None}
    for key, options in changes.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tok = superword.train(settings.train[0], 350, **({"pattern": "gpt4o"} | options))
        tokens = sum(len(tok.encode(document)) for document in documents)
        assert results.measured[key, 350].tokens == tokens, key
    assert set(changes) <= set(results.variation_keys)


def test_further_tokenizers_are_measured_as_evaluate_does(
    results: Results, settings: ReproductionSettings
) -> None:
    [found] = results.others
    assert found == evaluate(settings.tokenizers[0], settings.eval[0])
    assert (found.name, found.vocab_size) == ("own", 320)
    [row] = json.loads((settings.out / "tables/other-tokenizers.json").read_text())
    assert row["bytes_per_token"] == found.bytes_per_token


def test_a_metric_of_ones_own_is_computed_for_all(
    results: Results, settings: ReproductionSettings
) -> None:
    values = results.own_metrics["letters_per_token"]
    assert len(values) == len(results.lineup) * len(SIZES) + 1
    # The sample has few letters of more than one byte.
    measured = [*results.measured.values(), *results.others]
    for value, each in zip(values, measured, strict=True):
        assert 0.9 * each.bytes_per_token < value.value <= each.bytes_per_token
    rows = json.loads((settings.out / "tables/metric-letters_per_token.json").read_text())
    assert list(rows[0].values()) == list(values[0])
    assert "letters_per_token" in (settings.out / "report.html").read_text()


def test_a_metric_that_fails_is_one_sentence(results: Results) -> None:
    [measured] = results.others
    tok = superword.evaluation.open_tokenizer(superword.train(["to be"], 256))
    cases: list[tuple[Any, str]] = [
        (lambda measured, tok: 1 / 0, "failed: ZeroDivisionError: division by zero"),
        (lambda measured, tok: "many", "must be a finite number, not 'many'"),
        (lambda measured, tok: float("nan"), "must be a finite number, not nan"),
    ]
    for function, sentence in cases:
        with pytest.raises(SuperwordError, match=f"^the metric mine of own at 320 {sentence}"):
            OwnMetric("mine", function).measure("own", 320, measured, tok)


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
        assert stem.with_suffix(".pdf").read_bytes().startswith(b"%PDF-")
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


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles_the_tables_and_figures(
    results: Results, settings: ReproductionSettings, tmp_path: Path
) -> None:
    tables = sorted((settings.out / "tables").glob("*.tex"))
    assert {path.stem for path in tables} >= {"claims", "table-1-ablation", "variations"}
    figure = settings.out / "figures" / "figure-7-bytes-per-token.pdf"
    shutil.copy(figure, tmp_path / "figure.pdf")
    body = "\n\n".join([*(path.read_text() for path in tables), r"\includegraphics{figure}"])
    source = (
        r"\documentclass{article}\usepackage{booktabs,graphicx}\begin{document}"
        f"{body}\n\\end{{document}}\n"
    )
    (tmp_path / "all.tex").write_text(source)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "all.pdf").exists()


def read_bibtex(text: str) -> dict[str, dict[str, str]]:
    """Read BibTeX entries whose values are in braces; raise ValueError for anything else."""
    entries: dict[str, dict[str, str]] = {}
    value = r"\{((?:[^{}]|\{[^{}]*\})*)\}"
    entry = re.compile(rf"@\w+\{{(\w+),\n((?:  \w+ = {value},\n)+)\}}\n\n?")
    at = 0
    while at < len(text):
        match = entry.match(text, at)
        if match is None or match[1] in entries:
            raise ValueError(text[at : at + 80])
        entries[match[1]] = dict(re.findall(rf"  (\w+) = {value},\n", match[2]))
        at = match.end()
    return entries


def test_bibtex_parses_and_has_what_was_compared(
    results: Results, settings: ReproductionSettings
) -> None:
    entries = read_bibtex((settings.out / "citations.bib").read_text())
    assert entries["schmidt2025boundless"]["year"] == "2025"
    assert {"kudo2018subword", "chizhov2024picky", "superword"} <= entries.keys()
    # SuperBPE is not in this lineup.
    assert "liu2025superbpe" not in entries
    for entry in entries.values():
        assert entry.keys() >= {"title", "author"}


def test_the_report_repeats_the_settings(results: Results, settings: ReproductionSettings) -> None:
    shown = format_toml(settings)
    assert escape(shown) in (settings.out / "report.html").read_text()
    config = settings.out.parent / "again.toml"
    config.write_text(shown)
    assert read_settings(config, {}) == settings


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
    section = build_source_section(results, settings)
    assert "first" in section and "s/0" not in section and section in page


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


def test_lists_may_be_single_values(tmp_path: Path) -> None:
    config = tmp_path / "paper.toml"
    config.write_text(
        f"{COMPLETE}tau = 0.5\nmax_superwords = ['none', '1/8', 9]\npatterns = 'gpt4'"
    )
    found = read_settings(config, {"min_count": [3, 4]})
    assert (found.tau, found.min_count, found.patterns) == ((0.5,), (3, 4), ("gpt4",))
    assert found.max_superwords == (None, 1 / 8, 9)
    assert read_settings(None, {"train": "a", "eval": "b", "out": "c"}).max_superwords == (1 / 16,)


COMPLETE = "train = 'a'\neval = 'b'\nout = 'c'\n"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (f"{COMPLETE}tau = [2.0]", "tau must be above 0 and at most 1, not 2.0"),
        (f"{COMPLETE}tau = ['high']", "tau must be a list of numbers, and has 'high'"),
        (f"{COMPLETE}min_count = [0]", "min_count must be at least 1, not 0"),
        (f"{COMPLETE}min_count = ['many']", "min_count must be an integer"),
        (f"{COMPLETE}max_superwords = ['some']", "a cap must be a number, a share"),
        (f"{COMPLETE}max_superwords = [1.5]", "max_superwords must be an integer from 0"),
        (f"{COMPLETE}patterns = ['gpt5']", "gpt5"),
        (f"{COMPLETE}patterns = [4]", "patterns must be a list of texts, and has 4"),
        (f"{COMPLETE}tokenizers = [4]", "tokenizers must be a list of texts, and has 4"),
        (f"{COMPLETE}metrics = ['mine']", "a metric must be like module:function"),
        (f"{COMPLETE}metrics = ['no_such:mine']", "cannot import no_such: ModuleNotFoundError"),
        (f"{COMPLETE}metrics = ['none.py:mine']", "cannot import none.py: FileNotFoundError"),
        (f"{COMPLETE}metrics = ['math:mine']", "math has no function mine"),
        (f"{COMPLETE}metrics = ['math:cos', 'math:cos']", "two metrics are named cos"),
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
