"""`queryLanguage` and `speller` of a search: checked, and without effect.

There is no lexicon here. An answer to a search that asked for one says so in the header `x-local-search-speller`.
https://learn.microsoft.com/azure/search/speller-how-to-add
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import AfterValidator

_UNCORRECTED: Final = (("x-local-search-speller", "uncorrected"),)

_LANGUAGES: Final = frozenset(
    "none ar-eg ar-jo ar-kw ar-ma ar-sa bg-bg bn-in ca-es cs-cz da-dk de-de el-gr en-au en-ca en-gb en-in en-us es-es "
    "es-mx et-ee eu-es fa-ae fi-fi fr-ca fr-fr ga-ie gl-es gu-in he-il hi-in hr-ba hr-hr hu-hu hy-am id-id is-is it-it "
    "ja-jp kn-in ko-kr lt-lt lv-lv ml-in mr-in ms-bn ms-my nb-no nl-be nl-nl no-no pa-in pl-pl pt-br pt-pt ro-ro ru-ru "
    "sk-sk sl-sl sr-ba sr-me sr-rs sv-se ta-in te-in th-th tr-tr uk-ua ur-pk vi-vn zh-cn zh-tw".split()
)
_SPELLERS: Final = frozenset({"none", "lexicon"})


def _language(value: str) -> str:
    if value.lower() not in _LANGUAGES:
        raise ValueError(f"{value[:32]!r} is not a language of queries, such as 'en-us', or 'none'")
    return value.lower()


def _speller(value: str) -> str:
    if value.lower() not in _SPELLERS:
        raise ValueError(f"{value[:32]!r} is not 'none' or 'lexicon'")
    return value.lower()


def headers(body: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """`body` is that of a search that was read."""
    return _UNCORRECTED if str(body.get("speller")).lower() == "lexicon" else ()


Language = Annotated[str, AfterValidator(_language)]
Speller = Annotated[str, AfterValidator(_speller)]
