"""Korean. There are blanks between words, words end in particles, and names have no capitals."""

from typing import Final

from retrieval.text.languages.language import Frames, Language, SmallTalk, numbered, phrases, words

KOREAN: Final = Language(
    code="ko",
    pointers=words(
        """그것 그것은 그것이 그것을 그것의 그 그의 그는 그녀 그녀의 그녀는 그들 그들의 거기 거기에 거기서 그곳 그곳은
        그곳에 이것 이것은 이것이 이것을 이 여기 여기에 이곳 저것 저 같은 다른 또한 또 나머지"""
    ),
    stop_words=words(
        """은 는 이가 을 를 의 에 에서 와 과 및 또는 그리고 하지만 수 것 있는 있나요 있습니까 있어요 있는지 없는 입니까
        인가요 인지 됩니까 되나요 합니까 하나요 대해 대한 관해 관한 위해 위한 좀 알려 알려줘 알려주세요 주세요 나 나는
        내 저는 제 우리 너 당신"""
    ),
    asking=words(
        """무엇 무엇이 무엇을 무엇인가요 뭐 뭐예요 누구 누가 누구인가요 언제 언제인가요 어디 어디에 어디서 어디인가요
        왜 어떻게 어느 어떤 얼마 얼마나 몇 몇명"""
    ),
    names="marks",
    openers=phrases("예, 네, 아니요, 아니오, 요약하면, 요컨대, 간단히 말하면"),
    negations=words("않 못 없 아니 아닙 마십시오 마세요"),
    numbers=numbered("하나/한 둘/두 셋/세 넷/네 다섯 여섯 일곱 여덟 아홉 열 열하나/열한 열둘/열두"),
    addressing=words("링크 url 주소 사이트 홈페이지 웹페이지 메일 다운로드 도메인"),
    small_talk=SmallTalk(
        greetings=phrases("안녕, 안녕하세요, 안녕하십니까, 반갑습니다"),
        thanks=phrases("고마워, 고마워요, 고맙습니다, 감사합니다, 정말 감사합니다"),
        farewells=phrases("잘 가, 안녕히 가세요, 안녕히 계세요"),
        asides=phrases("죄송합니다"),
        replies=("안녕하세요! 무엇을 알고 싶으신가요?", "천만에요.", "안녕히 가세요!"),
    ),
    frames=Frames(
        nothing="이 질문에 대한 문서를 찾지 못했습니다.",
        unsearched="문서를 찾지 못했고, 응답이 없는 검색이 있습니다. 이유는 기록에 있습니다.",
        left_out="문서를 찾았지만 표시할 수 있는 것이 없습니다. 이유는 기록에 있습니다.",
        unread="언어 모델이 설정되어 있지 않아 아무도 이 구절들을 대신 읽어 보지 않았습니다. 가장 가까운 결과:",
        failed="언어 모델이 답변을 쓰지 않아({why}) 아무도 이 구절들을 대신 읽어 보지 않았습니다. 가장 가까운 결과:",
        cut="답변이 여기서 끊겼습니다. 언어 모델이 끝까지 쓰지 않았습니다.",
        unsure="찾은 문서가 이 질문에 완전히 답하지 못할 수 있습니다.",
        to_go_on="계속하려면 다음을 알려 주세요:",
        missing="**부족한 정보**",
        sources="**출처**",
        offer="문서 모음을 바탕으로 질문에 답합니다. 무엇을 알고 싶으신가요?",
    ),
)
