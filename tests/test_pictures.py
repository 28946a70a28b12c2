"""The pictures of the README are what `scripts/pictures.py` draws from models and results."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("pictures", ROOT / "scripts/pictures.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def drawn(script: ModuleType) -> dict[str, str]:
    pictures: dict[str, str] = script.draw_all()
    return pictures


def test_the_pictures_are_those_that_are_checked_in(drawn: dict[str, str]) -> None:
    found = {path.name: path.read_text("utf-8") for path in (ROOT / "docs/pictures").iterdir()}
    assert found == drawn, "run python scripts/pictures.py"


def test_the_pictures_are_in_the_readme(drawn: dict[str, str]) -> None:
    assert set(re.findall(r"docs/pictures/([\w.-]+)", README)) == set(drawn)


def test_the_descriptions_in_the_readme_have_the_figures_of_the_pictures(
    script: ModuleType, drawn: dict[str, str]
) -> None:
    sentence, speed = re.findall(r'alt="([^"]+)"', README)
    title = drawn["sentence-light.svg"].split("<title>")[1].split("</title>")[0]
    counts = re.findall(r"\d+(?= tokens)", title)
    assert re.findall(r"\d+", sentence) == counts
    shown = re.findall(r">([\d.]+) (?:s|MB/s)</text>", drawn["speed-light.svg"])
    assert sorted(re.findall(r"\d+", speed.replace("1 GB", ""))) == sorted(shown)


def test_text_is_text_and_nothing_is_loaded(drawn: dict[str, str]) -> None:
    for name, picture in drawn.items():
        root = ElementTree.fromstring(picture)
        tags = {element.tag.rpartition("}")[2] for element in root.iter()}
        assert tags == {"svg", "title", "text", "rect"}, name
        assert "href" not in picture and "url(" not in picture
        # Nothing is outside the picture.
        for element in root.iter("{http://www.w3.org/2000/svg}rect"):
            end = float(element.attrib["x"]) + float(element.attrib["width"])
            assert end <= float(root.attrib["width"])
