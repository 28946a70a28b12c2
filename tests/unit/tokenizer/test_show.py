"""Tokens, explanations and summaries, as HTML, in colors and as plain text."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest
from rich.console import Console

import superword
from superword import Tokenizer
from superword.evaluation import compare, evaluate
from superword.tokenizer.colors import PALETTE, choose_color

HOSTILE = "</script><img src=x onerror=alert(1)>"
TEXTS = [
    "It was the end of the day, and all of the room",
    f"{HOSTILE}\"'&amp; {HOSTILE}",
    "naïve café 日本語 e\u0301 \u0301x",
    "שלום עולם \u202e مرحبا \x1b[31m \x9b \x00 \u200d",
    "def f(x):\n\treturn x\r\n\n",
    "",
]
# What JupyterLab keeps of output that it does not trust.
TAGS = {"br", "details", "div", "span", "strong", "summary", "sup"}
TAGS |= {"table", "thead", "tbody", "tr", "th", "td"}
ATTRIBUTES = {"class", "dir", "style", "title"}
COLOR = r"rgba?\(\d{1,3}, \d{1,3}, \d{1,3}(, (0\.\d+|1\.0))?\)"
LENGTHS = r"((\d+px|0) ?){1,4}"
STYLES = {
    "background-color": COLOR,
    "border": rf"(0|\d+px solid {COLOR})",
    "border-bottom": rf"\d+px solid {COLOR}",
    "border-collapse": "collapse",
    "border-left": rf"\d+px solid {COLOR}",
    "border-radius": LENGTHS,
    "color": COLOR,
    "display": "inline-block",
    "font-family": r"[\w-]+(, [\w-]+)*",
    "font-size": r"\d+px",
    "font-weight": "bold",
    "line-height": r"\d(\.\d)?",
    "margin": LENGTHS,
    "opacity": r"0\.\d+",
    "overflow-wrap": "break-word",
    "overflow-x": "auto",
    "padding": LENGTHS,
    "padding-left": LENGTHS,
    "text-align": "left|right",
    "vertical-align": "top",
    "white-space": "nowrap|pre-wrap",
}


class Page(HTMLParser):
    """Reads HTML, and checks that notebooks keep all of it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.classes: list[str] = []
        self.titles: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS
        for name, value in attributes:
            assert name in ATTRIBUTES
            assert value is not None
            if name == "style":
                for declaration in value.split("; "):
                    key, _, given = declaration.partition(": ")
                    assert re.fullmatch(STYLES[key], given), declaration
            elif name == "title":
                self.titles.append(value)
            elif name == "class":
                self.classes.append(value)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def is_printable(text: str) -> bool:
    return text.replace("\n", "").isprintable()


@pytest.mark.parametrize("text", TEXTS)
def test_notebooks_keep_all_of_it_and_run_none_of_it(core_of_kind: Tokenizer, text: str) -> None:
    shown = core_of_kind.show(text)
    for html in (shown._repr_html_(), core_of_kind.explain(text)._repr_html_()):
        page = Page(html)
        assert is_printable(page.text)
        assert all(map(is_printable, page.titles))


def test_a_token_shows_its_id_bytes_rule_and_count(core_of_kind: Tokenizer) -> None:
    ids = core_of_kind.encode_ordinary(TEXTS[0])
    page = Page(core_of_kind.show(TEXTS[0])._repr_html_())
    assert len(page.titles) == len(ids)
    for title, id in zip(page.titles, ids, strict=True):
        token = core_of_kind.token_bytes(id)
        assert f"id {id}" in re.split("[\n,]", title)
        assert token.hex(" ") in title
        made = [rule for rule in core_of_kind.rules if rule.token == token]
        if made and made[0].kind != "delete":
            assert f"{made[0].kind} {made[0].index}: " in title
            assert (f"count {made[0].count:,}" in title) == bool(made[0].count)
        else:
            assert "byte" in title.splitlines()


def test_superwords_are_joined_with_their_words(train_kind: Callable[[str], Tokenizer]) -> None:
    for kind in ("BoundlessBPE", "SuperBPE", "extended", "pruned"):
        tok = train_kind(kind)
        superwords = [each for each in tok.show(range(256, tok.vocab_size)).tokens if each.words]
        assert superwords, kind
        each = superwords[0]
        assert each.words == len(superword.pretokenize(each.token.decode(), tok.parameters.pattern))
        html = tok.show([each.id])._repr_html_()
        assert "token superword" in Page(html).classes
        assert f"{each.words}</sup>" in html
        assert "; 1 superword" in tok.show([each.id]).describe_counts()
        assert str(tok.show([each.id])).startswith("[")
    plain = train_kind("BPE")
    assert not any(each.words for each in plain.show(range(plain.vocab_size)).tokens)


def test_special_tokens_are_shown_where_they_are_allowed(special: Tokenizer) -> None:
    text = "be<|end|>"
    assert Page(special.show(text)._repr_html_()).titles[-1].endswith("byte")
    title = Page(special.show(text, allowed_special="all")._repr_html_()).titles[-1]
    assert title.splitlines()[-1] == "special token"
    assert special.show(text, allowed_special={"<|end|>"}).tokens[-1].token == b"<|end|>"


def test_a_part_of_a_character_says_which() -> None:
    tok = superword.train(["to be"], 256)
    titles = Page(tok.show("é日\u202ea")._repr_html_()).titles
    parts = [title.splitlines()[-1] for title in titles]
    expected = ["part of é"] * 2 + ["part of 日"] * 3 + ["part of \\u202e"] * 3 + ["byte"]
    assert parts == expected


def test_the_counts_are_of_the_whole_text(tok: Tokenizer) -> None:
    text = "of the day " * 50
    ids = tok.encode(text)
    shown = tok.show(text, limit=3)
    counts = shown.describe_counts()
    assert counts.startswith(f"{len(ids)} tokens, {len(text)} bytes, {len(text) / len(ids):.2f} ")
    assert counts.endswith(f"the last {len(ids) - 3} tokens are not shown")
    assert len(Page(shown._repr_html_()).titles) == 3
    assert tok.show(ids).tokens == tok.show(text).tokens == shown.tokens
    with pytest.raises(superword.UnknownTokenError):
        tok.show([10**6])


def test_plain_output_has_no_escapes(core_of_kind: Tokenizer) -> None:
    for text in TEXTS:
        for shown in (core_of_kind.show(text), core_of_kind.explain(text)):
            assert is_printable(repr(shown))
    tokens = [core_of_kind.token_bytes(id) for id in core_of_kind.encode_ordinary(TEXTS[0])]
    first = repr(core_of_kind.show(TEXTS[0])).splitlines()[0]
    assert [each.strip("[]").replace("␣", " ").encode() for each in first.split(" | ")] == tokens


def print_in_terminal(code: str, **environment: str) -> str:
    """Run code whose standard output is a terminal."""
    ours, theirs = pty.openpty()
    settings = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", **environment}
    for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM"):
        if name not in environment:
            settings.pop(name, None)
    subprocess.run([sys.executable, "-c", code], stdout=theirs, env=settings, check=True)
    os.close(theirs)
    shown = os.read(ours, 1 << 16).decode()
    os.close(ours)
    return shown


CODE = """
import superword
tok = superword.train(["one of the end of the", "all of the"], 259)
print(tok.show("end of the"))
print(tok.explain("of the"))
"""


def test_a_terminal_shows_pastels_and_underlines_superwords() -> None:
    shown = print_in_terminal(CODE, COLORTERM="truecolor")
    assert "\x1b[4;30;48;2;" in shown
    assert "4 tokens, 10 bytes, 2.50 bytes per token; 1 superword" in shown
    assert "[␣" not in shown
    few = print_in_terminal(CODE, TERM="xterm")
    assert "\x1b[4;30;10" in few
    assert "\x1b[" not in print_in_terminal(CODE, NO_COLOR="1")


@pytest.mark.parametrize("color_system", ["truecolor", "256", "standard"])
def test_control_characters_never_reach_a_terminal(tok: Tokenizer, color_system: str) -> None:
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, color_system=color_system)  # type: ignore[arg-type]
    for text in TEXTS:
        tok.show(text).print_to(console)
    assert is_printable(re.sub("\x1b\\[[0-9;]*m", "", file.getvalue()))


def test_colors_depend_on_the_id_alone() -> None:
    assert [choose_color(id) for id in range(12)] != [choose_color(0)] * 12
    assert {choose_color(id) for id in range(300, 312)} == set(PALETTE)
    assert all(choose_color(id) == choose_color(id + 12) for id in range(50))


def test_an_explanation_is_a_list(tok: Tokenizer) -> None:
    explained = tok.explain("of the")
    assert isinstance(explained, list)
    assert explained == list(tok.explain_steps("of the"))
    assert Page(explained._repr_html_()).text.count("merge") == len(explained) - 1


def test_a_tokenizer_says_what_it_is(train_kind: Callable[[str], Tokenizer]) -> None:
    names = {"extended": "BoundlessBPE", "pruned": "BoundlessBPE", "imported": "BPE"}
    for kind in ("BPE", "PickyBPE", "BoundlessBPE", "SuperBPE", "extended", "imported", "pruned"):
        tok = train_kind(kind)
        page = Page(tok._repr_html_())
        assert page.text.startswith(
            f"Tokenizer {names.get(kind, kind)} · {tok.vocab_size:,} tokens"
        )
        has_superwords = kind not in ("BPE", "PickyBPE", "imported")
        assert ("Most frequent superwords" in page.text) == has_superwords


def test_markup_in_tokens_is_escaped() -> None:
    options: dict[str, Any] = {"supermerges": False, "deletion": None, "pattern": r"[\s\S]+"}
    tok = superword.train([HOSTILE] * 9, 256 + 35, special_tokens=["<\x9bs>"], **options)
    shown = tok.show(HOSTILE)
    assert [each.token for each in shown.tokens] == [HOSTILE.encode()]
    assert Page(shown._repr_html_()).text.startswith(HOSTILE)
    assert "<\\x9bs>" in Page(tok._repr_html_()).text
    special = superword.train(["to be"], 256, special_tokens=[HOSTILE])
    assert HOSTILE in Page(special._repr_html_()).text
    assert Page(special.show(HOSTILE, allowed_special="all")._repr_html_()).text.startswith(HOSTILE)


def test_results_are_tables_in_notebooks(tok: Tokenizer) -> None:
    documents = ["of the day and of the night", "日本語"]
    compared = compare({HOSTILE: tok, "b": tok.truncate(300)}, documents)
    assert isinstance(compared, list)
    page = Page(compared._repr_html_())
    assert HOSTILE in page.text
    assert "bytes per token by script" in page.text
    assert "bytes per token" in repr(compared) and is_printable(repr(compared))
    measured = evaluate(tok, documents)
    assert "2 documents" in Page(measured._repr_html_()).text
    pruned = superword.prune(tok, documents, to=600)
    assert pruned.headline() in Page(pruned._repr_html_()).text
    assert compare([], documents)._repr_html_() == repr(compare([], documents)) == ""
