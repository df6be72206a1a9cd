"""Courtesies around a question: what is left of a message, and that nothing else is taken from it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.model.conversation import Message
from retrieval.text.languages.language import CODES, language
from retrieval.text.user_message import conversation_without_courtesies, reply_to, without_courtesies
from tests.answer.found import texts
from tests.answer.material import user


@pytest.mark.parametrize(
    ("message", "left"),
    [
        ("hello, which fires glow?", "which fires glow?"),
        ("Hello 👋 which fires glow?", "which fires glow?"),
        ("Hi\nwhich fires glow?\n\nThanks", "which fires glow?"),
        ("ok, and what about fishing boats?", "and what about fishing boats?"),
        ("Please tell me which satellite carries VIIRS, thanks!", "Please tell me which satellite carries VIIRS"),
        ("Good morning, thank you for your help. Which fires glow? Bye!", "Which fires glow?"),
        ("Hallo! Warum leuchtet Phoenix? Danke schön!", "Warum leuchtet Phoenix?"),
        ("¡Hola! ¿Por qué se ve Phoenix? Gracias.", "¿Por qué se ve Phoenix?"),
        ("Bonjour ! Pourquoi Phoenix brille ? Merci !", "Pourquoi Phoenix brille ?"),
        ("你好，东京的人口是多少？谢谢", "东京的人口是多少？"),
        ("Hallo, Bücher leihe ich wie lange aus?", "Bücher leihe ich wie lange aus?"),
        ("Grüß Gott, wann ist offen?", "wann ist offen?"),
        ("S'il vous plaît, où est la gare ?", "où est la gare ?"),
        ("Olá, onde fica a biblioteca? Obrigado!", "onde fica a biblioteca?"),
        ("Ciao, dov'è la biblioteca? Grazie mille", "dov'è la biblioteca?"),
        ("こんにちは。図書館はどこですか。ありがとうございます", "図書館はどこですか。"),
        ("안녕하세요, 도서관은 어디에 있나요? 감사합니다", "도서관은 어디에 있나요?"),
        ("hello, wo liegt Phoenix? merci!", "wo liegt Phoenix?"),
        ("ok thanks", ""),
        ("gracias, adiós", ""),
        ("谢谢！再见", ""),
        ("👋", ""),
        ("Got it. What about refunds?", "What about refunds?"),
        ("Super, wie hoch ist die Gebühr?", "wie hoch ist die Gebühr?"),
        ("Parfait, quel est le prix ? Merci d'avance", "quel est le prix ?"),
        ("Was kostet das? Vielen Dank im Voraus!", "Was kostet das?"),
        ("How long does it take? Awesome", "How long does it take?"),
        ("Great, thanks for that. How long is it open?", "How long is it open?"),
    ],
)
def test_courtesies_at_either_end_are_left_out(message: str, left: str) -> None:
    assert without_courtesies(message) == left


@pytest.mark.parametrize(
    "message",
    [
        "which fires glow?",
        "Hello Kitty was created by whom?",
        "what is the origin of the word thanks?",
        "how does one say thanks",
        "hi-fi systems",
        "thanks for nothing, where is the invoice",
        "3.5",
        "wie sagt man danke",
        "Wer schrieb das Lied Guten Morgen?",
        "merci pour rien, où est la facture",
        "Sweet, sour and salty: which came first?",
        "Nice, France: how many people?",
        "Is that ok? Is it the best answer?",
    ],
)
def test_words_of_a_question_stay_though_they_are_words_of_courtesies_too(message: str) -> None:
    assert without_courtesies(message) == message


@pytest.mark.parametrize("code", CODES)
def test_every_courtesy_is_known_by_its_first_word_and_gets_its_reply(code: str) -> None:
    talk = language(code).small_talk
    for said, reply in zip((talk.greetings, talk.thanks, talk.farewells), talk.replies, strict=True):
        assert {phrase: reply_to(f"{phrase}!") for phrase in said} == dict.fromkeys(said, reply)
    assert {without_courtesies(phrase) for phrase in talk.asides} <= {""}


def test_the_last_courtesy_chooses_the_reply() -> None:
    assert reply_to("Hello! Danke schön") == "Gern geschehen."
    assert reply_to("bonjour, bye") == "Goodbye!"
    assert reply_to("hallo Welt") is None


def test_turns_that_are_courtesies_are_left_out_unless_all_are() -> None:
    question, thanks, said = user("Tell me about Phoenix"), user("thanks"), Message(role="assistant", text="Hello!")
    assert conversation_without_courtesies((said, question, thanks)) == (said, question)
    assert conversation_without_courtesies((thanks, said, user("hello"))) == (thanks, said, user("hello"))


@given(st.lists(texts | st.sampled_from(["hi", "thanks!", "ok, go on"]), min_size=1, max_size=4))
def test_what_is_left_is_a_part_of_what_was_said(said: list[str]) -> None:
    messages = tuple(map(user, said))
    left = conversation_without_courtesies(messages)
    assert left and all(one.role == "user" for one in left)
    assert all(without_courtesies(one) in one for one in said)


@pytest.mark.parametrize("sign", ["hi ", "hi, ", "a", "\n", ", ", "x,", "thanks ", "'", "👋", "¿"])
def test_a_long_message_that_is_no_courtesy_is_read_at_its_ends_only(sign: str) -> None:
    message = f"{sign * 20_000}lamps{sign * 20_000}"
    assert "lamps" in without_courtesies(message)


PRAISE = """
Perfect, thanks a lot | Vielen Dank, das hilft mir sehr | ok | Awesome | Merci beaucoup | Great,
that was very helpful! | Got it, thank you so much for your help | Thanks, that answers it | That
makes sense, thanks | Cool, thx | Super, danke dir! | Alles klar, danke | Das ist perfekt | Gute
Antwort! | Prima, genau das habe ich gesucht | C'est parfait, merci pour votre aide | Génial, ça
m'aide beaucoup | D'accord | Muchas gracias, me ha ayudado mucho | Perfecto | Vale, gracias |
Entendido | Grazie, molto utile | Va bene, grazie | Capito | Muito obrigado, ajudou muito | Entendi
| Ótimo! | ありがとうございます、とても助かりました | 了解です | なるほど | すごいですね | 谢谢，很有帮助
| 好的 | 明白了 | 太棒了！ | 감사합니다, 도움이 많이
됐어요 | 알겠습니다 | 좋아요! | 👍 | OK 👍 | okay great | wonderful, you are the best | nice work | thank you!!!
| Thanks! That was exactly what I needed. | Brilliant answer, cheers | Sehr gut, vielen Dank für die
schnelle Antwort | Danke, das war sehr hilfreich | Super erklärt, danke | Parfait | Merci, c'est
très clair | ¡Genial! | Excelente respuesta | Perfetto, grazie mille | Obrigada pela ajuda | Perfect
| Great | Toll, danke | Sounds good | Good job | I appreciate it | all good, bye | Amazing, this is
great help | You're amazing | very nice | Thanks for the explanation | Thank you for your time |
thanks for everything | that's all, thank you | Ok, das reicht mir, danke | Wunderbar, vielen lieben
Dank | Besten Dank für Ihre Hilfe! | Ich danke Ihnen | Danke, jetzt verstehe ich es | super merci |
c'est super | Je vous remercie | Je comprends mieux, merci | Te lo agradezco mucho | Qué bien |
buenísimo | Mille grazie per la risposta | Perfeito, obrigado | valeu! | とても参考になりました | 非常感谢您的帮助 |
感谢您的解答 | 정말 고마워요 | 네, 감사합니다 | Thanks, that's helpful to know | lovely, ta | ok cool | k thx | ok got
it | no, that's all | Terrific, much appreciated | That helped a lot | tres bien, merci |
c'est parfait | genial, merci | muchisimas gracias | Das beantwortet meine Frage, danke | Cela répond à ma question,
merci | Eso responde a mi pregunta, gracias | Questo risponde alla mia domanda, grazie | Isso responde à minha pergunta,
obrigado | 質問の答えになりました。ありがとうございます | 这回答了我的问题，谢谢 | 제 질문에 답이 되었어요, 감사합니다
| That clears it up | Thanks, have a great day! | Danke für die ausführliche Erklärung
"""
ASKED = """
ok, and the fee? | ok and the fee | Perfect, and how long does it take | thanks, but what about dogs
| Danke, und die Gebühr? | Super, und wie lange dauert das | Merci, et le prix ? | vale, ¿y el
precio? | What is a good answer? | is it good? | Thanks for nothing, where is the invoice | great
lakes | Good Friday | Perfect number | the toll | toll | Klasse B | die Klasse | Nice airport | Cool
storage | legal | show | super bowl | Mercury | thank you letter template | Dank an das Team, wer |
谢谢，费用是多少 | 可以带狗吗 | 行李
| 好的，那费用呢 | ありがとう、料金は | 좋아요, 요금은 | OK button | clear cache | useful life |
understood risk | awesome wm | Excellent rating | perfect tense | great circle distance | thanks
giving | Is that all? | how does one say thanks | help | no | yes | please | ok help me | and the
fee | how much | why | when | really? | What was the best answer | Danke-Karte | grazie al governo |
ok, for dogs too | obrigado, e a taxa | grazie, e il prezzo | Awesome, next: shipping costs | fine |
the fine | Thanks! And opening hours | vale de descuento | very good rating | Merci department |
good one or bad one | 네 | 예 | Is that ok?
"""


def listed(text: str) -> list[str]:
    return [" ".join(message.split()) for message in text.split("|")]


@pytest.mark.parametrize("message", listed(PRAISE))
def test_thanks_agreement_and_praise_are_no_question_in_any_words(message: str) -> None:
    assert reply_to(message) is not None and without_courtesies(message) == ""


@pytest.mark.parametrize("message", listed(ASKED))
def test_what_only_begins_or_ends_with_a_courtesy_is_a_question(message: str) -> None:
    assert reply_to(message) is None
