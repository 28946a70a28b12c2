"""The figures that the documentation quotes are those of the stored results."""

from __future__ import annotations

import csv
import json
import re
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "docs/results"
NAMES = {"BPE": "BPE", "BoundlessBPE": "BoundlessBPE (4o)", "SuperBPE": "SuperBPE (4o)"}


def read_benchmark(name: str) -> dict[str, Any]:
    """Return a stored result of a benchmark."""
    found: dict[str, Any] = json.loads((ROOT / f"benchmarks/results/{name}.json").read_text())
    return found


def read_rates() -> dict[tuple[str, int], float]:
    """Return bytes per token by tokenizer and vocabulary size."""
    with (RESULTS / "figures/figure-7-bytes-per-token.csv").open() as file:
        rows = list(csv.DictReader(file))
    return {
        (row["tokenizer"], int(row["vocab_size"])): float(row["bytes_per_token"]) for row in rows
    }


class Tables(HTMLParser):
    """The tables of a page, as lists of rows."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Begin a table, a row or a cell."""
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_data(self, data: str) -> None:
        """Add text to the cell."""
        if self.tables and self.tables[-1] and self.tables[-1][-1]:
            self.tables[-1][-1][-1] += data.strip()


def read_report() -> tuple[dict[str, dict[str, str]], dict[str, dict[str, str]]]:
    """Return the report's metrics of the largest vocabulary, and its bytes per token by source."""
    page = (RESULTS / "report.html").read_text()
    tables = Tables(page).tables
    metrics = next(table for table in tables if "words kept whole" in table[0])
    sources = next(table for table in tables if table[0][:2] == ["source", "MB"])
    by_row = [
        {row[0]: dict(zip(table[0], row, strict=True)) for row in table[1:]}
        for table in (metrics, sources)
    ]
    return by_row[0], by_row[1]


def read_kinds_table() -> dict[str, list[str]]:
    """Return the rows of the table of the page "Which one?", without links in their labels."""
    page = (ROOT / "docs/which-one.md").read_text()
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line[:2] == "| "]
    return {re.sub(r" \(.*", "", label): values for label, *values in rows[1:]}


def test_which_one_quotes_bytes_per_token() -> None:
    table, rates = read_kinds_table(), read_rates()
    for label, size in (("all text", 131_072), ("all text, with 40,960 tokens", 40_960)):
        found = [f"{rates[name, size]:.3f}" for name in NAMES.values()]
        assert table[f"bytes per token, {label}"] == found
    _, sources = read_report()
    for source, row in sources.items():
        assert table[source] == [row[name] for name in NAMES.values()], source


def test_which_one_quotes_the_metrics_of_the_report() -> None:
    table, (metrics, _) = read_kinds_table(), read_report()
    quoted = {
        "Rényi efficiency, α = 2.5": ("Rényi efficiency (α = 2.5)", "{:.3f}"),
        "words that no token boundary divides": ("words kept whole", "{:.1f}%"),
        "boundaries between pretokens where a prompt's ids change with its continuation": (
            "unstable prompt ends",
            "{:.1f}%",
        ),
        "Gini coefficient of tokens per byte over sources": (
            "Gini of tokens per byte over sources",
            "{:.3f}",
        ),
    }
    for label, (metric, form) in quoted.items():
        values = [float(metrics[name][metric].rstrip("%")) for name in NAMES.values()]
        assert table[label] == [form.format(value) for value in values], label


def test_which_one_quotes_the_benchmarks() -> None:
    table = read_kinds_table()
    trainers = json.loads((ROOT / "benchmarks/results/train-1000.json").read_text())["trainers"]
    seconds = [trainers[f"{name}, gpt4o"]["seconds"] for name in ("plain BPE", "BoundlessBPE")]
    found = [f"{each:.1f} s" for each in seconds]
    assert table["training on 1 GB, two threads"] == [*found, "not measured"]
    speeds = json.loads((ROOT / "benchmarks/results/encode.json").read_text())["speeds"]
    found = [
        f"{speeds[f'superword, {name}']['unseen']:.0f} MB/s"
        for name in ("plain BPE", "BoundlessBPE")
    ]
    assert table["encoding unseen text, one thread"] == [*found, "not measured"]


def test_the_guide_quotes_the_gain_of_a_larger_vocabulary() -> None:
    rates = read_rates()
    guide = " ".join((ROOT / "docs/guide.md").read_text().split())
    bpe, boundless, superbpe = (
        f"{rates[name, 131_072] / rates[name, 40_960] - 1:.1%}" for name in NAMES.values()
    )
    assert f"{bpe} with BPE, {boundless} with BoundlessBPE and {superbpe} with SuperBPE" in guide


def test_the_readme_quotes_the_results() -> None:
    readme, rates = (ROOT / "README.md").read_text(), read_rates()
    for shown, name in (("BPE", "BPE"), *((f"{n}, gpt4o", NAMES[n]) for n in list(NAMES)[1:])):
        assert f"| {shown} | {rates[name, 131_072]:.3f} |" in readme
    metrics, _ = read_report()
    whole = float(metrics["BPE"]["words kept whole"].rstrip("%"))
    assert f"BPE keeps {whole:.0f}% of the words" in readme


def test_the_page_on_speed_quotes_the_benchmarks() -> None:
    page = (ROOT / "docs/speed.md").read_text()
    readme = " ".join((ROOT / "README.md").read_text().split())
    for size in (1000, 300):
        trainers = read_benchmark(f"train-{size}")["trainers"]
        [peer] = [each for name, each in trainers.items() if name.startswith("gigatoken ")]
        for name, found in trainers.items():
            share = f"{found['seconds'] / peer['seconds']:.2f}"
            row = (
                f"{name}{'' if 'BPE' in name else ', plain BPE'} | {found['seconds']:.1f} | {share}"
            )
            assert f"{row} | {found['gigabytes']:.2f} |" in page
            if (size, name) == (1000, "BoundlessBPE, gpt4o"):
                assert f"on 1 GB takes {share} of the time in which gigatoken" in readme
    stages = read_benchmark("cores")["seconds"]
    rows = {f"BoundlessBPE: {name}": found for name, found in stages["BoundlessBPE"].items()}
    for name, found in stages.items():
        sums = {cores: sum(each[cores] for each in found.values()) for cores in ("1", "2", "16")}
        rows[f"{name}: all"] = sums
    for name, seconds in rows.items():
        assert f"| {name} | {' | '.join(f'{each:.1f}' for each in seconds.values())} |" in page
    speeds = read_benchmark("encode")["speeds"]
    for name, found in speeds.items():
        shown = " | ".join(f"{found[part]:.0f}" for part in ("first", "unseen", "seen"))
        row = f"{name}{'' if 'BPE' in name else ', plain BPE'} | {shown}"
        assert f"| {row} | {found['10 KB']:.2f} |" in page
    share = speeds["superword, BoundlessBPE"]["seen"] / speeds["gigatoken 0.10.0"]["seen"]
    assert f"BoundlessBPE has {share:.2f} of gigatoken's speed" in page
    for name, found in read_benchmark("encode_short")["microseconds"].items():
        shown = " | ".join(f"{microseconds:.2f}" for microseconds in found.values())
        if name.startswith(("superword", "gigatoken", "tiktoken")):
            assert f"| {name} | {shown} |" in page
    for name, found in read_benchmark("pretokenize")["patterns"].items():
        row = f"{name} | {found['regex']:.1f} | {found['superword']:.0f} | {found['ratio']:.0f}"
        assert f"| {row} |" in page


def test_the_readme_claims_only_what_the_benchmarks_show() -> None:
    """It says that superword is ahead of every other encoder, and where it is not."""
    parts = ("first", "unseen", "seen")
    speeds = read_benchmark("encode")["speeds"]
    lines = (ROOT / "benchmarks/results/encode-second.md").read_text().splitlines()
    tables = [[cell.strip() for cell in line.split("|")] for line in lines]
    second = {
        cells[1]: dict(zip(parts, map(float, cells[2:5]), strict=True))
        for cells in tables
        if len(cells) == 9 and cells[2].isdigit()
    }
    shares = []
    for found in (speeds, second):
        ours = [found[f"superword, {name}"] for name in ("BoundlessBPE", "plain BPE")]
        peers = [figures for figures in found.values() if figures not in ours]
        for part in parts:
            best = max(figures[part] for figures in peers)
            assert all(figures[part] > best for figures in ours)
        shares.append(ours[0]["seen"] / found["gigatoken 0.10.0"]["seen"])
    readme = " ".join((ROOT / "README.md").read_text().split())
    first, other = (f"{share:.2f}" for share in shares)
    assert f"has {first} of gigatoken's speed with superwords, and {other} [on another" in readme
    behind = set()
    for language, figures in read_benchmark("encode_languages")["languages"].items():
        for name, share in figures["shares"].items():
            behind |= {(language, part, name) for part in share if share[part] < 1}
    assert behind == {
        ("English", "seen", "superword, BoundlessBPE"),
        *(
            (language, "unseen", f"superword, {name}")
            for language in ("Chinese", "Japanese")
            for name in ("BoundlessBPE", "plain BPE")
        ),
    }
    assert "fastokens is ahead on unseen Chinese and Japanese" in readme
    assert "ahead of superwords on English seen before" in readme


def test_the_results_count_the_verdicts() -> None:
    claims = json.loads((RESULTS / "claims.json").read_text())
    verdicts = [claim["verdict"] for claim in claims]
    numbers = [
        *("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
        *("ten", "eleven", "twelve"),
    ]
    held, weaker, failed = (
        numbers[verdicts.count(each)]
        for each in ("holds", "holds in a weaker form", "does not hold")
    )
    page = " ".join((RESULTS / "README.md").read_text().split())
    assert f"Of {numbers[len(claims)]} claims, {held} hold on this corpus" in page
    assert f"{weaker} hold in a weaker form" in page
    assert f"{failed} does not hold" in page
    capped = json.loads((RESULTS / "capped-claims.json").read_text())
    assert {claim["tokenizer"] for claim in capped} == {"BoundlessBPE (4o), cap 1/16"}
    held = sum(claim["verdict"] == "holds" for claim in capped)
    weaker = sum(claim["verdict"] == "holds in a weaker form" for claim in capped)
    assert f"With the cap, {numbers[held]} of these five hold and {numbers[weaker]} hold" in page


def test_the_results_show_the_tables() -> None:
    page = (RESULTS / "README.md").read_text()
    with (RESULTS / "tables/tokenizers.csv").open() as file:
        rows = {row["tokenizer"]: row for row in csv.DictReader(file)}
    with (RESULTS / "tables/variations.csv").open() as file:
        rows |= {row["tokenizer"]: row for row in csv.DictReader(file)}
    shown = re.findall(r"^\| ([^|]+) \| (\d\.\d{3}) \|(.*)\|$", page, re.MULTILINE)
    assert len(shown) >= 8
    for label, rate, rest in shown:
        row = rows[label]
        assert row["vocab_size"] == "131072"
        assert f"{float(row['bytes_per_token']):.3f}" == rate, label
        cells = [cell.strip() for cell in rest.split("|")]
        values = [f"{float(row['renyi_efficiency']):.3f}"]
        names = ("vocabulary_used", "single_share", "superword_tokens")
        values += [f"{float(row[name]):.1%}" for name in names]
        assert cells == values, label


def test_the_results_have_the_groups_of_sources_of_their_configuration() -> None:
    config = tomllib.loads((RESULTS / "paper.toml").read_text())
    _, sources = read_report()
    assert list(config["sources"]) == list(sources)


def test_the_exports_that_the_docs_call_exact_have_no_differing_documents() -> None:
    stored = json.loads((ROOT / "benchmarks/results/exports.json").read_text())
    page = (ROOT / "docs/exporting.md").read_text()
    assert f"{stored['documents']:,} documents" in page
    for name, figures in stored["found"].items():
        for format in ("tokenizer.json", "tiktoken", "gguf"):
            assert figures[format]["exact"]
            assert figures[format]["documents"] == stored["documents"]
            assert figures[format]["differing_documents"] == 0, (name, format)
        tokens, ratio = figures["vocab_size"], figures["bytes_per_token"]
        assert f"| {tokens:,} | {ratio:.3f} | 0 |" in page
    for name in ("`--profile portable`", "`--profile portable`, large"):
        assert stored["found"][name]["survived"]["digits"] == 20_000


def test_the_page_on_pruning_quotes_the_benchmark() -> None:
    page = (ROOT / "docs/pruning.md").read_text()
    choices = json.loads((ROOT / "benchmarks/results/prune.json").read_text())["choices"]
    before = choices["none"]["bytes_per_token"]
    section = page.split("## What it costs")[1].split("\n## ")[0]
    head, _, ids, *rows = [
        line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("|")
    ]
    names = [name.strip("`") for name in head[2:]]
    assert ids[1:] == [f"{choices[name]['ids']:,}" for name in ("none", *names)]
    assert [row[0] for row in rows] == list(before)
    for group, rate, *changes in rows:
        assert rate == f"{before[group]:.3f}"
        found = [choices[name]["bytes_per_token"][group] / before[group] - 1 for name in names]
        assert changes == [f"{change:+.2%}" for change in found], group
    removed = [choices[f"residues={share}"]["removed"] for share in (0.999, 0.99)]
    assert f"{removed[0]:,} tokens go" in section
    assert f"{removed[1] - removed[0]} more" in section


def test_the_guide_quotes_the_rates_by_language() -> None:
    stored = json.loads((ROOT / "benchmarks/results/scripts_without_spaces.json").read_text())
    rates = stored["bytes_per_token"]
    guide = (ROOT / "docs/guide.md").read_text()
    [heading, _, *rows] = re.findall(
        r"^\|.*\|$", guide.split("## Scripts without spaces")[1].split("##")[0], re.MULTILINE
    )
    columns = [cell.strip().replace("Burmese", "Myanmar") for cell in heading.split("|")[2:-1]]
    assert len(rows) == len(rates)
    first = next(iter(rates.values()))
    for row, found in zip(rows, rates.values(), strict=True):
        cells = [cell.strip() for cell in row.split("|")[2:-1]]
        for name, cell in zip(columns, cells, strict=True):
            change = "" if found is first else f" ({found[name] / first[name] - 1:+.1%})"
            assert cell == f"{found[name]:.3f}{change}", (row, name)


def test_the_guide_quotes_what_caps_on_superwords_cost() -> None:
    stored = json.loads((ROOT / "benchmarks/results/superword_cap.json").read_text())["found"]
    plain = stored.pop("plain BPE")
    readme = (ROOT / "README.md").read_text()
    assert f"BoundlessBPE then has {stored['1/16']['all']:.3f} bytes per token" in readme
    guide = (ROOT / "docs/guide.md").read_text()
    section = guide.split("## What languages pay")[1].split("\n## ")[0]
    head, _, *rows = re.findall(r"^\|.*\|$", section, re.MULTILINE)
    scripts = [cell.strip() for cell in head.split("|")[4:-1]]
    for row, found in zip(rows, stored.values(), strict=True):
        cells = [cell.strip() for cell in row.split("|")[2:-1]]
        rates = {"all": (found["all"], plain["all"])} | {
            name: (found["scripts"][name], plain["scripts"][name]) for name in scripts
        }
        changes = [f"{rate / before - 1:+.1%}" for rate, before in rates.values()]
        assert cells == [f"{found['superwords']:,}", *changes]


def test_the_page_on_transformers_quotes_the_error_of_the_mask() -> None:
    stored = json.loads((ROOT / "benchmarks/results/continuations.json").read_text())
    page = (ROOT / "docs/transformers.md").read_text()
    for name, one in stored["found"].items():
        distances = f"{one['distance']:.2f} | {one['median distance']:.2f}"
        runs = f"{one['runs']:.1f} | {one['median runs']:.0f} | {one['most runs']:,}"
        assert f"| {name} | {one['bytes']:.1f} | {distances} | {runs} |" in page
    assert f"{stored['steps']} steps" in page


def test_the_page_on_evaluation_quotes_the_scored_continuations() -> None:
    stored = json.loads((ROOT / "benchmarks/results/scored_continuations.json").read_text())
    page = (ROOT / "docs/evaluation.md").read_text()
    found, count = stored["found"], stored["continuations"]
    assert f"Of {count:,} one-word continuations" in page
    for name, one in found.items():
        share = f" ({one['wrong'] / count:.1%})" if one["wrong"] else ""
        ours = one["wrong with superword"]
        assert f"| {name} | {one['wrong']}{share} | {one['empty']} | {ours} |" in page
    held_back = [f"{one['held back']:.1f}" for one in found.values()]
    assert "{} bytes with BPE, {} with BoundlessBPE and {} with SuperBPE".format(*held_back) in page
