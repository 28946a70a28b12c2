"""The slider over the rules, the cut, training, links, keys, names, sizes and colors."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import superword
from superword.playground.server import SITE

TEXT = "It seemed to me that there was no one in the world who could have been better."
CORPUS = "\n\n".join(next(iter(superword.sample())).split("\n\n")[:40])


@pytest.fixture(scope="module")
def boundless() -> superword.Tokenizer:
    return superword.load(SITE / "samples" / "boundlessbpe.json")


def count_pills(page: Any, column: int = 2) -> int:
    return len(page.find_all(f".column:nth-child({column}) .tokens .token"))


def test_the_slider_goes_from_bytes_to_tokens(page: Any, boundless: superword.Tokenizer) -> None:
    page.write(TEXT)
    page.find("#tab-rules").click()
    page.wait_until("Number(document.getElementById('rule').max) > 10")
    page.settle()
    steps = boundless.explain(TEXT)
    assert count_pills(page) == len(boundless.encode(TEXT))
    page.slide("rule", 0)
    page.wait_until(
        f"document.querySelectorAll('.column:nth-child(2) .token').length === {len(TEXT)}"
    )
    assert "bytes" in page.find("#rule-label").text
    # Every supermerge shows its tokens in its color, at its step.
    rules = {step.rule.index for step in steps if step.rule}
    last = int(page.run("return document.getElementById('rule').max"))
    seen = set()
    for position in range(last + 1):
        page.slide("rule", position)
        expected = f"step {position} of {last}"
        page.wait_until(f"document.getElementById('rule-label').textContent.includes('{expected}')")
        page.wait_until(
            "document.querySelectorAll('.made').length" + (" > 0" if position else " === 0")
        )
        seen |= {
            name
            for name in ("merge", "supermerge", "delete")
            if page.find_all(f".column:nth-child(2) .made.{name}")
        }
    kinds = {step.rule.kind for step in steps if step.rule}
    assert seen == kinds
    assert len(rules) <= last


def test_play_and_pause(page: Any) -> None:
    page.write("out of the world")
    page.find("#tab-rules").click()
    page.wait_until("Number(document.getElementById('rule').max) > 5")
    page.find("#play").click()
    page.wait_until("Number(document.getElementById('rule').value) > 2")
    page.find("#play").click()
    assert page.find("#play").get_attribute("aria-label") == "Play"
    position = page.run("return document.getElementById('rule').value")
    assert int(position) < int(page.run("return document.getElementById('rule').max"))


def test_a_cut_shows_what_the_core_holds_back(page: Any, boundless: superword.Tokenizer) -> None:
    page.write(TEXT)
    page.find("#tab-cut").click()
    page.settle()
    for offset in (0, 9, TEXT.index(" one") + 4, len(TEXT)):
        page.slide("cut", offset)
        prefix = TEXT[:offset]
        final = boundless.encode_stream().feed(prefix)
        label = f"after {offset} character"
        page.wait_until(f"document.getElementById('cut-label').textContent.startsWith('{label}')")
        expected = f"{len(final)} final · {len(boundless.encode(prefix)) - len(final)} held back"
        page.wait_until(
            f"document.querySelector('.column:nth-child(2)').textContent.includes('{expected}')"
        )
        assert len(page.find_all(".column:nth-child(2) .token.final")) == len(final)
    # The text goes on with " in the world", which takes nothing of these back; " one" is.
    page.slide("cut", TEXT.index(" who") - 6)
    page.wait_until("document.querySelector('.column:nth-child(2) .token.held.changed')")


def test_the_caret_is_a_cut(page: Any) -> None:
    page.write(TEXT)
    page.find("#tab-cut").click()
    page.settle()
    page.run("const t = document.getElementById('text'); t.focus(); t.setSelectionRange(5, 5)")
    page.find("#text").send_keys("\ue014")  # the right arrow
    page.wait_until("document.getElementById('cut').value === '6'")


def test_training_gives_the_models_of_the_core(page: Any) -> None:
    page.write("one of them was out of the house")
    page.paste("#corpus", CORPUS)
    page.slide("size", 2)
    page.find("#train-button").click()
    page.wait_until("document.querySelector('.plot')")
    names = ["BPE, trained here", "BoundlessBPE, trained here"]
    assert page.column_names() == names
    for column, options in enumerate(
        [{"supermerges": False, "deletion": None}, {"max_superwords": None}]
    ):
        expected = superword.train(CORPUS.split("\n\n"), 352, **options)  # type: ignore[arg-type]
        assert page.ids(column) == expected.encode("one of them was out of the house")
        exec(page.copy("Copy as Python", column), {})
    assert page.find_all(".superwords .token")
    assert page.find(".plot .area").get_attribute("d").count("V") > 5, "it has steps"
    # Anew, with another size: the trained ones are replaced.
    page.slide("size", 1)
    page.find("#train-button").click()
    page.wait_until("document.querySelector('.model').textContent.includes('of 3')")
    page.wait_until("!document.getElementById('train-button').disabled")
    assert page.column_names() == names


def test_training_on_nothing_is_refused_in_a_sentence(page: Any) -> None:
    page.find("#train-button").click()
    page.wait_until("document.getElementById('train-status').textContent.includes('no text')")
    page.wait_until("!document.getElementById('train-button').disabled")


@pytest.mark.parametrize("view", ["tokens", "rules", "cut"])
def test_a_link_opens_the_same_view(page: Any, view: str) -> None:
    page.write(f"{TEXT} \U0001f4a9 “naïve”")
    page.find("#first").send_keys("7")
    page.find("#outline").click()
    page.find(f"#tab-{view}").click()
    page.settle()
    if view != "tokens":
        slider = {"rules": "rule", "cut": "cut"}[view]
        page.wait_until(f"Number(document.getElementById('{slider}').max) > 20")
        page.slide(slider, 20)
        page.wait_until(f"document.getElementById('{slider}-label').textContent.includes('20')")
    link = page.share()
    describe = (
        "return [document.getElementById('text').value, document.getElementById('first').value,"
        "document.getElementById('outline').checked, document.querySelector('.tokens').textContent,"
        "document.querySelector('[aria-selected=true]').id,"
        "document.querySelector('.count').textContent]"
    )
    before = page.run(describe)
    page.open(link)
    page.wait_until("document.querySelectorAll('.tokens .token').length > 0")
    if view != "tokens":
        page.wait_until(f"document.getElementById('{slider}-label').textContent.includes('20')")
        page.settle()
    assert page.run(describe) == before


def test_a_link_trains_its_models_again(page: Any) -> None:
    page.write("one of them")
    page.paste("#corpus", CORPUS)
    page.slide("size", 2)
    page.find("#train-button").click()
    page.wait_until("document.querySelector('.plot')")
    page.run(
        "const add = document.getElementById('add'); add.value = 'BPE on novels';"
        "add.dispatchEvent(new Event('change'))"
    )
    page.wait_until("document.querySelectorAll('.column').length === 3")
    page.wait_until(
        "!document.querySelector('.column:nth-child(3) .count').innerText.includes('–')"
    )
    names, ids = page.column_names(), [page.ids(column) for column in range(3)]
    page.open(page.share())
    page.wait_until("document.querySelectorAll('.column').length === 3")
    page.settle()
    assert page.column_names() == names
    assert [page.ids(column) for column in range(3)] == ids


@pytest.mark.parametrize("hash", ["#v1=AAAA", "#v1=", "#<img>", "#v1=q1Yqzs9NVbJSKs5ILChRqgUA"])
def test_a_broken_link_opens_the_page(page: Any, hash: str) -> None:
    page.open(page.address + hash)
    assert len(page.column_names()) == 2


def test_tokens_are_reached_by_keys(page: Any) -> None:
    page.write("one in the world and out of it")
    page.run("document.querySelector('.column:nth-child(2) .token').focus()")
    active = "document.activeElement"

    def press(key: str) -> str:
        page.driver.switch_to.active_element.send_keys(key)
        label: str = page.run(f"return {active}.getAttribute('aria-label')")
        return label

    assert press("\ue014") == "·in·the·world, superword of 3 words"
    page.wait_until("!document.getElementById('details').hidden")
    assert "superword of 3 words" in page.find("#details").text
    assert page.run(f"return {active}.getAttribute('aria-describedby')") == "details"
    assert press("\ue010") == "·of·it, superword of 2 words"
    assert press("\ue011") == "one"
    assert press("\ue012") == "one"
    assert len(page.find_all(".column:nth-child(2) .token[tabindex='0']")) == 1
    press("\ue014")
    press("\ue007")
    page.wait_until("document.getElementById('derivation').open")
    assert page.run("return document.querySelectorAll('[role=treeitem]').length") > 5
    press("\ue00c")
    page.wait_until("!document.getElementById('derivation').open")
    assert page.run(f"return {active}.getAttribute('aria-label')").startswith("·in")
    page.run("document.getElementById('tab-tokens').focus()")
    press("\ue014")
    page.wait_until("!document.getElementById('rules-controls').hidden")


def test_pointing_at_a_token_shows_its_details(page: Any, boundless: superword.Tokenizer) -> None:
    page.write("one in the world")
    pill = page.find(".column:nth-child(2) .token.superword")
    page.run("arguments[0].dispatchEvent(new PointerEvent('pointerover', {bubbles: true}))", pill)
    page.wait_until("!document.getElementById('details').hidden")
    token = b" in the world"
    id = boundless.token_id(token)
    rule = next(rule for rule in boundless.rules if rule.token == token)
    text = page.find("#details").text
    for shown in (f"{id:,}", "13 bytes", "20 69 6E", f"{rule.index:,}", f"{rule.count:,}"):
        assert shown in text


def test_everything_that_takes_the_focus_has_a_name(page: Any) -> None:
    for view in ("tokens", "rules", "cut"):
        page.find(f"#tab-{view}").click()
        page.settle()
        tree = page.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})
        for node in tree["nodes"]:
            properties = {
                each["name"]: each["value"].get("value") for each in node.get("properties", [])
            }
            if properties.get("focusable") and node["role"]["value"] != "RootWebArea":
                assert node.get("name", {}).get("value"), node


@pytest.mark.parametrize("width", [390, 800, 1400])
def test_nothing_is_wider_than_the_page(page: Any, width: int) -> None:
    metrics = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": False}
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        page.write("a" * 300 + " " + "ก" * 100)
        for view in ("rules", "cut", "tokens"):
            page.find(f"#tab-{view}").click()
            page.settle()
            assert page.run("return document.documentElement.scrollWidth") <= width
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


# The contrast ratio of WCAG, of the text of a pill on its background.
CONTRAST = """
const [hue, names] = arguments;
const pill = document.createElement("span");
pill.className = names;
pill.style.setProperty("--hue", hue);
pill.style.setProperty("background-image", "none");
document.querySelector(".tokens").append(pill);
const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const luminance = (color) => {
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const channels = [...context.getImageData(0, 0, 1, 1).data].slice(0, 3).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2];
};
const style = getComputedStyle(pill);
const [low, high] = [style.color, style.backgroundColor].map(luminance).sort((a, b) => a - b);
pill.remove();
return (high + 0.05) / (low + 0.05);
"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_tokens_are_readable_in_every_color(page: Any, theme: str) -> None:
    page.run("document.documentElement.dataset.theme = arguments[0]", theme)
    kinds = [
        "token",
        "token superword",
        *(f"token step made {kind}" for kind in ("merge", "supermerge", "delete")),
        "token final",
    ]
    for hue, names in itertools.product(range(0, 360, 15), kinds):
        assert page.run(CONTRAST, hue, names) >= 4.5, (hue, names)


def test_the_button_switches_dark_and_light(page: Any) -> None:
    background = "return getComputedStyle(document.body).backgroundColor"
    before = page.run(background)
    page.find("#theme").click()
    assert page.run(background) != before
    page.find("#theme").click()
    assert page.run(background) == before
    page.run("localStorage.clear()")
