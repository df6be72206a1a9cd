"""Japanese. Words are not spaced, and no name has a capital."""

from typing import Final

from retrieval.text.languages.language import Frames, Language, SmallTalk, numbers, phrases, words

JAPANESE: Final = Language(
    code="ja",
    pointers=words(
        """それ それら その そこ そちら そのとき これ これら この ここ こちら あれ あの あそこ 彼 彼女 彼ら 同じ 前者
        後者 ほかの 他の また"""
    ),
    stop_words=words(
        """は が を の です ます でした ました ですか ますか でしょうか である ください 教えて について における による
        という こと もの ありますか いますか あります います している されている"""
    ),
    asking=words(
        """何 何人 何年 何時 何個 いつ どこ だれ 誰 どれ どの どの人 どんな どう どうして どうやって どうすれば なぜ
        いくつ いくら どのくらい どれくらい"""
    ),
    months=words("一月 二月 三月 四月 五月 六月 七月 八月 九月 十月 十一月 十二月"),
    weekdays=words("月曜日 火曜日 水曜日 木曜日 金曜日 土曜日 日曜日"),
    nationalities=words("日本人 中国人 アメリカ人 イギリス人 フランス人 ドイツ人 韓国人 ロシア人 インド人"),
    measures=words("さん 様 氏 博士 教授"),
    relations=words("の どの 誰 両方 同じ 最初 生まれ 間の 共通"),
    joining=words("・ と の"),
    abbreviations=words("dr mr mrs ms prof st vs eg ie e.g i.e cf fig no vol pp al inc ltd co corp jr sr u.s u.k ph.d"),
    numbered=frozenset(),
    ordinals=frozenset(),
    names="marks",
    spaced=False,
    openers=phrases("はい, いいえ, 要するに, つまり, 要約すると, 結論から言うと"),
    negations=words("ない なく なかっ なし ません 不 無 未 非"),
    numbers=numbers(
        """零 一/一つ 二 三 四 五 六 七 八 九 十 十一 十二 十三 十四 十五 十六 十七 十八 十九""",
        tens="二十 三十 四十 五十 六十 七十 八十 九十",
    ),
    addressing=words("リンク url アドレス サイト ホームページ ウェブページ メール ダウンロード ドメイン"),
    small_talk=SmallTalk(
        greetings=phrases("こんにちは, おはよう, おはようございます, こんばんは, はじめまして"),
        thanks=phrases(
            "ありがとう, ありがとうございます, どうもありがとう, どうもありがとうございます, ありがとうございました"
        ),
        farewells=phrases("さようなら, おやすみ, おやすみなさい, またね"),
        asides=phrases("すみません, お願いします"),
        asks=frozenset(),
        replies=("こんにちは。何についてお調べしましょうか。", "どういたしまして。", "さようなら。"),
    ),
    frames=Frames(
        nothing="この質問に関する文書は見つかりませんでした。",
        not_this="見つかった文書はこの質問に答えていません。",
        unsure="見つかった文書はこの質問に完全には答えていない可能性があります。",
        not_text="次の文書が質問に答えている可能性がありますが、引用できる文がありませんでした。",
        to_go_on="続けるには、次の点を教えてください。",
        missing="**足りない情報**",
        sources="**出典**",
        unfounded="（引用元にありません：{figures}）",
        more="何をお探しか、もう少し詳しく教えていただけますか。",
        unmentioned="見つかった文書には「{word}」が出てきません。ほかの呼び方はありますか。",
        lacking={
            "number": "引用した文には該当する数がありません。どの文書に書かれているはずですか。",
            "date": "引用した文には該当する日付がありません。どの文書に書かれているはずですか。",
            "name": "引用した文には該当する名前がありません。どの文書に書かれているはずですか。",
            "steps": "引用した文には手順が書かれていません。どの文書に書かれているはずですか。",
        },
        other_language="見つかった文書は{documents}です。{documents}で質問すると、さらに見つかるかもしれません。",
        languages={
            "en": "英語",
            "de": "ドイツ語",
            "fr": "フランス語",
            "es": "スペイン語",
            "it": "イタリア語",
            "pt": "ポルトガル語",
            "zh": "中国語",
            "ja": "日本語",
            "ko": "韓国語",
        },
        offer="文書の集まりをもとに質問にお答えします。何についてお調べしましょうか。",
    ),
)
