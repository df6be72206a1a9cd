"""luqum's parser, loaded without a word.

luqum brings tables for its parser, which are those of Python 3.12 and earlier. On Python 3.13 its generator, ply, makes
them anew, tells on stderr what it makes of luqum's grammar, and leaves a file open. None of this is about a query.
"""

import importlib
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr
from io import StringIO
from typing import Final

from luqum import tree


def _load() -> Callable[[str], tree.Item]:
    with redirect_stderr(StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        parse: Callable[[str], tree.Item] = importlib.import_module("luqum.thread").parse
    return parse


parse: Final = _load()
