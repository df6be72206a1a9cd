"""The title that a file has in its properties, where a person gave it: programs write one of their own."""

import re
from typing import Final

_PROGRAM: Final = (
    r"(?:microsoft|libreoffice|openoffice|google)?[ ]?(?:office )?(?:word|excel|powerpoint|writer|impress|docs)"
)
_PLACEHOLDER: Final = re.compile(
    rf"{_PROGRAM} - .*"
    r"|(?:microsoft )?(?:powerpoint|word|office)[- ]"
    r"(?:präsentation|presentation|presentatie|document|dokument|bemutató)"
    r"|(?:présentation|presentación(?: de)?|presentazione(?: standard di)?|apresentação do|prezentacja programu)"
    r" (?:microsoft )?powerpoint"
    r"|презентация powerpoint|powerpoint ?(?:演示文稿|簡報|プレゼンテーション|프레젠테이션)|幻灯片 ?\d*"
    r"|(?:untitled|unnamed|unbenannt|sans titre|sin título|senza titolo|sem título|no ?title|無題|无标题|無標題)"
    r"(?:[ -]?(?:document|dokument|presentation|\d+))?[ ]?\d*"
    r"|(?:document|dokument|documento|doc|presentation|präsentation|présentation|presentación"
    r"|slide|folie|layout|book|mappe|page|blank|title|titel|template|vorlage|文档|文書)[ ]?\d*"
    r"|\(?anonymous\)?|normal(?:\.dotm?)?|about:blank|print(?: preview)?"
    r"|.*\.(?:docx?|dotx?|pptx?|potx?|odt|odp|rtf|pages|indd|qxd|tex|dvi|ps|pdf|html?|tmp|wpd|pmd)|(?:file|https?)://.*|[a-z]:\\.*|[\d\W_]*",
    re.IGNORECASE,
)
_LONGEST: Final = 1_000


def given(title: str | None) -> str:
    """The title on one line; empty for the placeholder of a program, a file's name or an address."""
    line = " ".join((title or "")[:_LONGEST].replace("\0", " ").split())
    return "" if _PLACEHOLDER.fullmatch(line) else line
