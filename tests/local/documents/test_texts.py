"""The encodings of texts: what a file declares is honoured, and what it does not declare is recognised or named."""

from pathlib import Path
from time import process_time

import pytest

from retrieval.local.documents.reading import read

SENTENCES = {
    "zh": "请在登船前把缆绳交给码头工人，并出示您的证件。",
    "zh-hant": "請在登船前把纜繩交給碼頭工人，並出示您的證件。",
    "ja": "船に乗る前に、ロープを港の係員に渡してください。",
    "ko": "배에 타기 전에 밧줄을 부두 직원에게 건네주세요.",
    "ru": "Перед посадкой передайте швартовы рабочему причала и покажите документы.",
    "uk": "Перед посадкою передайте швартови робітникові причалу, будь ласка.",
    "el": "Πριν από την επιβίβαση δώστε τα σχοινιά στον εργάτη της αποβάθρας.",
    "tr": "Gemiye binmeden önce halatları iskele işçisine veriniz, şöyle ki düğüm çözülmüş olsun.",
    "he": "לפני העלייה לסיפון יש למסור את החבלים לעובד הרציף.",
    "ar": "قبل الصعود إلى السفينة سلم الحبال إلى عامل الرصيف من فضلك.",
    "th": "ก่อนขึ้นเรือกรุณาส่งเชือกให้เจ้าหน้าที่ท่าเรือ",
    "pl": "Przed wejściem na pokład proszę oddać cumy pracownikowi nabrzeża i pokazać dowód; łódź czeka.",
    "cs": "Před naloděním předejte lana přístavnímu dělníkovi a ukažte průkaz, děkujeme.",
    "de": "Über die Brücke fährt größeres Gerät; Fußgänger müssen während der Öffnung zurückbleiben.",
    "fr": "Avant de monter à bord, remettez les amarres à l’employé du quai, s’il vous plaît.",
}
ENCODINGS = [
    ("zh", "gbk"),
    ("zh", "gb18030"),
    ("zh-hant", "big5"),
    ("ja", "shift_jis"),
    ("ja", "euc_jp"),
    ("ja", "iso2022_jp"),
    ("ko", "cp949"),
    ("ru", "cp1251"),
    ("ru", "koi8_r"),
    ("ru", "cp866"),
    ("uk", "koi8_u"),
    ("el", "cp1253"),
    ("el", "iso8859_7"),
    ("tr", "cp1254"),
    ("he", "cp1255"),
    ("ar", "cp1256"),
    ("th", "cp874"),
    ("pl", "cp1250"),
    ("pl", "iso8859_2"),
    ("cs", "cp1250"),
    ("de", "cp1252"),
    ("de", "utf-16-be"),
    ("de", "utf-32-le"),
    ("fr", "cp1252"),
]
DECLARED = [
    ("a.html", '<meta charset="{}">', "ja", "shift_jis", "Shift_JIS"),
    ("a.html", "<!-- charset=utf-8 --><meta charset={}>", "zh", "gb18030", "gb2312"),
    ("a.htm", '<meta http-equiv="Content-Type" content="text/html; charset={}">', "ru", "koi8_r", "KOI8-R"),
    ("a.xhtml", '<?xml version="1.0" encoding="{}"?>', "el", "iso8859_7", "iso-8859-7"),
    ("a.html", '<meta charset="{}">', "ko", "cp949", "ks_c_5601-1987"),
    ("a.html", '<meta charset="{}">', "de", "cp1252", "iso-8859-1"),
    ("a.html", '<meta charset="{}">', "de", "utf-8", "iso-8859-1"),
    ("a.html", '<meta charset="{}">', "de", "utf-8", "utf-16"),
    ("a.html", '<meta charset="{}">', "de", "cp1252", "punycode"),
    ("a.txt", "# -*- coding: {} -*-\n\n", "ru", "iso8859_5", "iso-8859-5"),
    ("a.txt", "# vim: set fileencoding={} :\n\n", "pl", "cp1250", "cp1250"),
]


def texts(path: Path) -> list[str]:
    return [str(line.value["text"]) for line in read(path, name="x").lines]


@pytest.mark.parametrize(("language", "encoding"), ENCODINGS)
def test_an_encoding_that_is_not_declared_is_recognised(tmp_path: Path, language: str, encoding: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(SENTENCES[language].encode(encoding))
    assert texts(path) == [SENTENCES[language]]
    assert [one.reason[:45] for one in read(path, name="x").summary.skipped] == [
        "its encoding is not declared, and was taken f"
    ]


BY_RULE = [SENTENCES["cs"].encode(), b'<meta charset="cp1250">' + SENTENCES["cs"].encode("cp1250")]


@pytest.mark.parametrize("content", BY_RULE, ids=["UTF-8", "declared"])
def test_nothing_is_said_of_an_encoding_that_a_file_has_by_rule(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.html").write_bytes(content)
    assert read(tmp_path, name="x").summary.skipped == []


@pytest.mark.parametrize(("name", "head", "language", "encoding", "label"), DECLARED)
def test_an_encoding_that_a_file_declares_is_honoured(
    tmp_path: Path, name: str, head: str, language: str, encoding: str, label: str
) -> None:
    path = tmp_path / name
    path.write_bytes(f"{head.format(label)}<p>{SENTENCES[language]}</p>".encode(encoding))
    assert SENTENCES[language] in texts(path)[-1]


def test_a_table_in_a_national_encoding_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("Причал;Цена\r\nСеверный;девять рублей\r\n".encode("cp1251"))
    assert texts(tmp_path) == ["Причал: Северный\nЦена: девять рублей"]


def test_a_text_in_utf_8_with_one_broken_byte_is_that_text(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(SENTENCES["ru"].encode() + b"\xff")
    assert texts(tmp_path) == [SENTENCES["ru"] + "\ufffd"]


def test_what_follows_a_long_beginning_in_ascii_is_recognised(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"Berth 4 is free.\n" * 30_000 + SENTENCES["zh"].encode("gbk"))
    assert texts(tmp_path)[-1].endswith(SENTENCES["zh"])


@pytest.mark.parametrize(
    "text",
    [
        "# Übersicht\n\nDie Gebühr beträgt 9 € – „heute“. Café naïve.",
        "La café est fermé. Ça coûte 5 €.",
        "“quoted” text isn’t",
        "Temperature 20 °C ± 2, 10 m²",
        "Prix : 5 £ «ici»",
    ],
)
def test_a_short_text_in_windows_1252_is_no_box_drawing_and_no_other_script(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.txt").write_bytes(text.encode("cp1252"))
    assert "\n\n".join(texts(tmp_path)) == text


@pytest.mark.parametrize("text", ["名前,部署\n山田,営業\n鈴木,経理", "港,料金\n北,九百円\n南,七百円"])
def test_a_small_table_in_shift_jis_is_recognised(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.txt").write_bytes(text.encode("shift_jis"))
    assert texts(tmp_path) == [text]


@pytest.mark.parametrize("text", ["Größe", "Zwölf", "Smørrebrød", "naïve café"])
@pytest.mark.parametrize("encoding", ["cp850", "mac-roman"])
def test_a_word_is_never_read_with_signs_within_it(tmp_path: Path, text: str, encoding: str) -> None:
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))
    (tmp_path / "b.txt").write_text("Fine.")
    assert not set("”•§¿") & set("".join(texts(tmp_path)))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("北岸".encode("shift_jis"), "its encoding is neither declared nor recognised; it is perhaps"),
        (b'<meta charset="euc-jp"><p>\xff\xff', "it declares the encoding euc-jp and is broken at byte 26"),
        (bytes(range(256)) * 9, "it is not a text"),
    ],
)
def test_a_file_whose_encoding_nobody_knows_is_named(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "a.html").write_bytes(content)
    (tmp_path / "fine.txt").write_text("Fine.")
    (skipped,) = read(tmp_path, name="x").summary.skipped
    assert skipped.source == "a.html" and reason in skipped.reason


def test_no_bytes_take_long(tmp_path: Path) -> None:
    before = process_time()
    for number, content in enumerate((b"\xe9" * 3_000_000, b"<meta" * 600_000, b"\x1b$" * 900_000, b"\x81a" * 900_000)):
        (tmp_path / f"{number}.txt").write_bytes(content)
    (tmp_path / "fine.txt").write_text("Fine.")
    read(tmp_path, name="x")
    assert process_time() - before < 20
