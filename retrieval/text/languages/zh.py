"""Chinese, in simplified and traditional characters. There are no blanks between words, and no capitals in names."""

from typing import Final

from retrieval.text.languages.language import Frames, Language, SmallTalk, numbered, phrases, words

CHINESE: Final = Language(
    code="zh",
    pointers=words(
        """它 它们 它們 他 他们 他們 她 她们 她們 其中 这 這 这个 這個 这些 這些 这里 這裡 这儿 这样 這樣 该 該 那 那个
        那個 那些 那里 那裡 那儿 那样 那樣 那么 那麼 呢 另外 另一个 另一個 其他 其它 同样 同樣 还有 還有 前者 后者
        後者"""
    ),
    stop_words=words(
        """的 了 是 吗 嗎 吧 啊 呀 不是 没有 沒有 有没有 有沒有 是不是 我 我们 我們 你 你们 你們 您 请问 請問 告诉 告訴
        知道 可以 应该 應該 关于 關於 对于 對於 由于 由於 以及 或者 并且 並且 而且 但是 所以 因为 因為 如果 一下 一共
        谢谢 謝謝"""
    ),
    asking=words(
        """什么 什麼 谁 誰 哪 哪个 哪個 哪些 哪里 哪裡 哪儿 哪年 哪一年 在哪 在哪里 在哪裡 在哪儿 有什么 有什麼 有哪些
        何时 何時 何处 何處 何地 什么时候 什麼時候 多少 有多少 几个 幾個 几点 幾點 几年 幾年 几天 幾天 几岁 幾歲 几次
        幾次 多久 多大 多长 多長 多高 多远 多遠 怎么 怎麼 怎样 怎樣 怎么样 怎麼樣 如何 为什么 為什麼 为何 為何"""
    ),
    names="marks",
    spaced=False,
    openers=phrases("是, 是的, 不, 不是, 对, 不对, 可以, 不可以, 有, 没有, 简而言之, 总之, 简单来说"),
    negations=words("不 没 沒 无 無 未 非 别 勿"),
    numbers=numbered("一 二/两/兩 三 四 五 六 七 八 九 十 十一 十二"),
    now=words(
        """今天 今日 昨天 昨日 明天 后天 前天 现在 現在 目前 当前 當前 最近 近来 近期 最新
        今年 去年 明年 前年 本月 上月 下月 上个月 下个月 上個月 下個月 这个月 本周 上周 下周 本週
        上週 下週 本季度 上季度 年前 天前 个月前 個月前"""
    ),
    addressing=words("链接 連結 鏈接 网址 網址 url 地址 网站 網站 网页 網頁 邮箱 邮件 下载 域名"),
    small_talk=SmallTalk(
        greetings=phrases("你好, 您好, 大家好, 早上好, 上午好, 下午好, 晚上好, 早安, 嗨, 哈喽, 你好吗, 你们好"),
        thanks=phrases(
            """谢谢, 谢谢你, 谢谢您, 多谢, 非常感谢, 感谢, 谢了, 好的谢谢, 谢谢你的帮助, 谢谢您的帮助, 謝謝, 謝謝你,
            謝謝您, 多謝"""
        ),
        farewells=phrases("再见, 拜拜, 晚安, 回头见, 再見, 明天见"),
        asides=phrases("请问, 麻烦, 好的, 請問, 麻煩, 不好意思, 打扰一下"),
        praise=phrases(
            """谢谢, 謝謝, 多谢, 多謝, 感谢, 感謝, 谢了, 谢啦, 好的, 好吧, 好, 行, 可以,
            明白, 懂了, 知道了, 了解, 收到, 太好了, 很好, 太棒了, 很棒, 真棒, 棒, 完美,
            厉害, 不错, 优秀, 赞, 没问题, 辛苦了, 有帮助, 帮大忙了, 帮了大忙, 有用, 清楚了,
            没有其他问题, 就这些, 回答了我的问题, 解答了我的问题, ok"""
        ),
        beside=phrases(
            """你, 您, 你们, 的, 了, 很, 非常, 十分, 太, 真的, 真, 对我, 我, 这个, 这,
            那, 回答, 解答, 帮助, 说明, 解释, 是, 啊, 呀, 哦, 嗯, 啦, 也, 都, 就,
            已经, 对, 万分, 大, 详细, 耐心"""
        ),
        replies=("您好！您想了解什么？", "不客气。", "再见！"),
    ),
    frames=Frames(
        nothing="没有找到与这个问题有关的文档。",
        unsearched="没有找到文档，且有搜索未得到答复：原因见记录。",
        left_out="找到了文档，但没有一份可以显示：原因见记录。",
        unread="没有配置语言模型，因此没有人替您读过这些段落。最匹配的结果：",
        failed="语言模型没有写出回答（{why}）。最匹配的结果：",
        other_language="文档的语言：{languages}。没有语言模型时，请用这种语言提问。",
        languages="英语 德语 法语 西班牙语 意大利语 葡萄牙语 中文 日语 韩语",
        cut="回答在此中断：语言模型没有写完。",
        unsure="找到的文档可能没有完整回答这个问题。",
        to_go_on="要继续，请说明：",
        missing="**缺少的内容**",
        sources="**来源**",
        offer="我根据一组文档回答问题。您想了解什么？",
    ),
)
