"""Japanese. There are no blanks between words, and no capitals in names."""

from typing import Final

from retrieval.text.languages.language import Frames, Language, SmallTalk, numbered, phrases, words

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
    names="marks",
    spaced=False,
    openers=phrases("はい, いいえ, 要するに, つまり, 要約すると, 結論から言うと"),
    negations=words("ない なく なかっ なし ません 不 無 未 非"),
    numbers=numbered("一 二 三 四 五 六 七 八 九 十 十一 十二"),
    addressing=words("リンク url アドレス サイト ホームページ ウェブページ メール ダウンロード ドメイン"),
    small_talk=SmallTalk(
        greetings=phrases("こんにちは, おはよう, おはようございます, こんばんは, はじめまして"),
        thanks=phrases(
            "ありがとう, ありがとうございます, どうもありがとう, どうもありがとうございます, ありがとうございました"
        ),
        farewells=phrases("さようなら, おやすみ, おやすみなさい, またね"),
        asides=phrases("すみません, お願いします"),
        replies=("こんにちは。何についてお調べしましょうか。", "どういたしまして。", "さようなら。"),
    ),
    frames=Frames(
        nothing="この質問に関する文書は見つかりませんでした。",
        unsearched="文書は見つかりませんでした。応答のなかった検索があります。理由は記録にあります。",
        left_out="文書は見つかりましたが、表示できるものがありません。理由は記録にあります。",
        unread="言語モデルが設定されていないため、次の箇所は誰も読んで確かめていません。最も近い結果：",
        failed="言語モデルが回答を書かなかったため（{why}）、次の箇所は誰も読んで確かめていません。最も近い結果：",
        cut="回答はここで途切れています。言語モデルが最後まで書きませんでした。",
        unsure="見つかった文書はこの質問に完全には答えていない可能性があります。",
        to_go_on="続けるには、次の点を教えてください。",
        missing="**足りない情報**",
        sources="**出典**",
        offer="文書の集まりをもとに質問にお答えします。何についてお調べしましょうか。",
    ),
)
