"""Typing and pasting: the page shows the ids of the core, and draws what is in view."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

import superword
from superword.playground.server import SITE

SAMPLES = ["bpe", "boundlessbpe"]
TEXTS = [
    "",
    "It seemed to me that there was no one in the world.",
    "two\n\n  lines\tand\u00a0signs\u200b\u202e of the \x07 bell",
    "naïve café 日本語 ไทย नमस्ते שלום مرحبا 👩‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿",
]


@pytest.fixture(scope="module")
def samples() -> list[superword.Tokenizer]:
    return [superword.load(SITE / "samples" / f"{name}.json") for name in SAMPLES]


@pytest.mark.parametrize("text", TEXTS)
def test_the_ids_are_those_of_the_core(
    page: Any, samples: list[superword.Tokenizer], text: str
) -> None:
    page.write(text)
    for column, tok in enumerate(samples):
        assert page.ids(column) == tok.encode(text)
    assert page.token_counts() == [len(tok.encode(text)) for tok in samples]


def test_typing_encodes_at_every_key(page: Any, samples: list[superword.Tokenizer]) -> None:
    page.write("")
    page.find("#text").send_keys("out of the world")
    page.wait_until("document.querySelector('.count').textContent.startsWith('4 tokens')")
    assert page.ids(1) == samples[1].encode("out of the world")


def test_superwords_are_one_pill_with_their_word_count(page: Any) -> None:
    page.write("one in the world")
    (pill,) = page.find_all(".column:nth-child(2) .token.superword")
    assert pill.get_attribute("aria-label") == "·in·the·world, superword of 3 words"
    assert pill.find_element("css selector", ".words").text == "3"
    assert len(pill.find_elements("css selector", ".part.starts.ends")) == 3
    assert page.find_all(".column:nth-child(1) .token.superword") == []
    # Where the columns differ is outlined, and nowhere else.
    differing = page.run(
        "return [...document.querySelectorAll('.column:nth-child(1) .token')]"
        ".map((pill) => pill.classList.contains('differs'))"
    )
    assert differing == [False, True, True, True]
    page.find("#outline").click()
    assert page.run("return document.querySelector('.outlines')") is None


@pytest.mark.parametrize("text", TEXTS)
def test_what_another_column_does_not_have_is_outlined(
    page: Any, samples: list[superword.Tokenizer], text: str
) -> None:
    page.write(text)
    spans = [find_spans(tok, text) for tok in samples]
    for column, (own, other) in enumerate([spans, spans[::-1]], start=1):
        outlined = page.run(
            "return [...document.querySelectorAll(arguments[0])]"
            ".map((pill) => pill.classList.contains('differs'))",
            f".column:nth-child({column}) .token",
        )
        assert outlined == [span not in other for span in own]


def find_spans(tok: superword.Tokenizer, text: str) -> list[tuple[int, int]]:
    """Return where the tokens of a text start and end, in bytes."""
    ends = list(itertools.accumulate(len(tok.token_bytes(id)) for id in tok.encode(text)))
    return list(zip([0, *ends], ends, strict=False))


def test_a_token_has_one_color_everywhere(page: Any) -> None:
    page.write("a world, seemed")
    hues = page.run(
        "return [...document.querySelectorAll('.tokens .token')]"
        ".filter((pill) => pill.textContent === '·seemed')"
        ".map((pill) => pill.style.getPropertyValue('--hue'))"
    )
    assert len(hues) == 2 and len(set(hues)) == 1


def test_invisible_bytes_are_shown(page: Any) -> None:
    page.write("a\tb\n\u202e\u00e9\U0001f4a9")
    shown = page.run("return document.querySelector('.tokens').textContent")
    for sign in ("⇥", "⏎", "é", "F0"):
        assert sign in shown
    assert "\u202e" not in shown


def test_every_sentence_can_be_chosen(page: Any) -> None:
    names = page.run("return [...document.getElementById('language').options].map((o) => o.text)")
    assert len(names) == 21
    for name in ("Arabic", "Thai", "Japanese"):
        page.run(
            "const s = document.getElementById('language'); s.value = arguments[0];"
            "s.dispatchEvent(new Event('change'));",
            name,
        )
        page.settle()
        direction = page.run("return document.querySelector('.chunk').dir")
        assert direction == ("rtl" if name == "Arabic" else "ltr")


def test_the_first_tokens_are_counted_and_copied(
    page: Any, samples: list[superword.Tokenizer]
) -> None:
    page.write(text := "It seemed to me that there was no one in the world.")
    page.find("#first").send_keys("3")
    page.settle()
    ids = samples[0].encode(text)[:3]
    assert page.ids() == ids
    assert f"hold {len(samples[0].decode_bytes(ids))} bytes" in page.find(".column").text
    assert len(page.find_all(".column:nth-child(1) .token:not(.beyond)")) == 3


def test_python_that_is_copied_runs(page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SITE / "samples")
    page.write('quotes " \\ \u2028 é 👩 and\nof the lines')
    for column in (0, 1):
        code = page.copy("Copy as Python", column)
        assert "assert tok.encode(text) == [" in code
        exec(code, {})


def test_a_long_text_is_drawn_where_it_is_seen(
    page: Any, samples: list[superword.Tokenizer]
) -> None:
    text = "".join(superword.sample())[:100_000]
    page.write(text)
    assert page.token_counts() == [len(tok.encode(text)) for tok in samples]
    drawn = len(page.find_all(".column:nth-child(1) .token"))
    assert 50 < drawn < 1000
    last = "document.querySelector('.column:nth-child(1) .chunk:last-child')"
    assert page.run(f"return {last}.childElementCount") == 0
    page.run("const list = document.querySelector('.tokens'); list.scrollTop = list.scrollHeight")
    page.wait_until(f"{last}.childElementCount > 0")
    page.wait_until("document.querySelectorAll('.column:nth-child(1) .token').length < 1500")


def test_ten_megabytes_do_not_freeze_the_page(
    page: Any, samples: list[superword.Tokenizer]
) -> None:
    text = "".join(superword.sample())[:100_000]
    page.run("document.getElementById('text').value = ''")
    # Frames are drawn while the worker encodes: the page waits for nothing.
    page.run(
        "window.frames_drawn = 0; const count = () => { window.frames_drawn++;"
        "requestAnimationFrame(count); }; count();"
    )
    page.paste("#text", text, times=100)
    text *= 100
    page.wait_until("document.querySelector('.note:not([hidden])')")
    assert page.run("return window.frames_drawn") > 3
    assert page.token_counts() == [len(tok.encode(text)) for tok in samples]
    assert "the counts are of all 1" in page.find(".note").text
    assert page.run("return document.getElementById('text').value.length") == 50_000
    page.find("#drop-text-tail").click()
    page.wait_until("document.querySelector('.note').hidden")
    assert page.token_counts()[0] == len(samples[0].encode(text[:50_000]))


def test_nothing_but_the_site_is_fetched(page: Any, tmp_path: Path) -> None:
    names = page.run("return performance.getEntriesByType('resource').map((each) => each.name)")
    assert names and all(name.startswith(page.address) for name in names)
