"""Knowledge bases, api-version 2026-10-01.

Source: the REST specification, `stable/2026-10-01/search.json`, and its examples. The specification states no defaults
and no limits. The defaults are our own, and the limits are those of 2026-08-01-preview. If a body has only intents and
no written answer is wanted, the default effort is `minimal`, as in 2026-04-01. A base that was stored through a preview
version may have the effort `auto`. This version does not have `auto`, so it uses the default effort instead. The only
types that are not in the specification are those of our own kind `modelStudioBase`.
"""

from typing import Final

from retrieval.contracts.azure.kinds.table import COMMON, served
from retrieval.contracts.azure.retrieve.requests import Defaults
from retrieval.contracts.azure.retrieve.responses import Types
from retrieval.contracts.azure.version import Version

VERSION: Final = Version(
    name="2026-10-01",
    kinds=served(*COMMON),
    defaults=Defaults(
        # The specification states no default, so this version has none, as the versions before it.
        threshold=0.0,
        of_intents="minimal",
        runtime=90.0,
        unknown_efforts=("auto",),
    ),
    types=Types(cites=True),
    answer_first=True,
    paged=True,
)
