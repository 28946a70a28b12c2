"""BibTeX entries of what a reproduction compares."""

from __future__ import annotations

from superword.reproduction.results import Results
from superword.version import find_version

__all__ = ["PAPER", "build_bibliography"]

PAPER = """@inproceedings{schmidt2025boundless,
  title = {Boundless Byte Pair Encoding: Breaking the Pre-tokenization Barrier},
  author = {Schmidt, Craig W. and Reddy, Varshini and Tanner, Chris and Pinter, Yuval},
  booktitle = {Conference on Language Modeling (COLM)},
  year = {2025},
  url = {https://arxiv.org/abs/2504.00178},
}
"""
SOFTWARE = """@software{superword,
  title = {superword},
  author = {{The superword authors}},
  version = {VERSION},
  note = {Apache-2.0},
}
"""
RENYI = """@inproceedings{zouhar2023tokenization,
  title = {Tokenization and the Noiseless Channel},
  author = {Zouhar, Vil{\\'e}m and Meister, Clara and Gastaldi, Juan and Du, Li and Sachan, Mrinmaya
    and Cotterell, Ryan},
  booktitle = {Annual Meeting of the Association for Computational Linguistics (ACL)},
  year = {2023},
}
"""
PICKY = """@inproceedings{chizhov2024picky,
  title = {{BPE} Gets Picky: Efficient Vocabulary Refinement During Tokenizer Training},
  author = {Chizhov, Pavel and Arnett, Catherine and Korotkova, Elizaveta and Yamshchikov, Ivan P.},
  booktitle = {Conference on Empirical Methods in Natural Language Processing (EMNLP)},
  year = {2024},
}
"""
SUPERBPE = """@inproceedings{liu2025superbpe,
  title = {{SuperBPE}: Space Travel for Language Models},
  author = {Liu, Alisa and Hayase, Jonathan and Hofmann, Valentin and Oh, Sewoong and Smith, Noah A.
    and Choi, Yejin},
  booktitle = {Conference on Language Modeling (COLM)},
  year = {2025},
  url = {https://arxiv.org/abs/2503.13423},
}
"""
BASELINES = {
    "bpe": """@inproceedings{sennrich2016neural,
  title = {Neural Machine Translation of Rare Words with Subword Units},
  author = {Sennrich, Rico and Haddow, Barry and Birch, Alexandra},
  booktitle = {Annual Meeting of the Association for Computational Linguistics (ACL)},
  year = {2016},
}
""",
    "wordpiece": """@inproceedings{schuster2012japanese,
  title = {{Japanese} and {Korean} Voice Search},
  author = {Schuster, Mike and Nakajima, Kaisuke},
  booktitle = {International Conference on Acoustics, Speech and Signal Processing (ICASSP)},
  year = {2012},
}
""",
    "unigram": """@inproceedings{kudo2018subword,
  title = {Subword Regularization: Improving Neural Network Translation Models with Multiple Subword
    Candidates},
  author = {Kudo, Taku},
  booktitle = {Annual Meeting of the Association for Computational Linguistics (ACL)},
  year = {2018},
}
""",
}


def build_bibliography(results: Results) -> str:
    """Return BibTeX entries of the paper, the software, and the methods that were compared."""
    entries = [PAPER, SOFTWARE.replace("VERSION", find_version()), RENYI, PICKY]
    if any(spec.transition for spec in results.lineup.values()):
        entries.append(SUPERBPE)
    entries += [entry for kind, entry in BASELINES.items() if kind in results.lineup]
    return "\n".join(entries)
