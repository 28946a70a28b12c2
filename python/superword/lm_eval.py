"""The model type `superword` of lm-evaluation-harness: see `superword.integrations.lm_eval`.

`python -m superword.lm_eval` is the harness's command line with this model type.
"""

from superword.integrations.lm_eval import SuperwordLM, main

__all__ = ["SuperwordLM"]

if __name__ == "__main__":
    main()
