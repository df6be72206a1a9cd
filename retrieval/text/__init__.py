"""One rule each about texts. Pure: nothing here awaits.

content_words        the words of a question that count       standalone_question   a question made to stand alone
sentences            where sentences begin and end            small_talk            greetings, thanks and farewells
quotations           is a quotation in a text word for word?  addresses             pages and mailboxes in a text
near_duplicates      texts that say the same                  source_labels         the name of a source
plain_text           a model's words as plain text            tokens                tokens from UTF-8 bytes
names                what an agent may be called              normal_form           NFKC in linear time
strict_json          JSON without what parsers let pass       json_bounds           how much a JSON text holds
"""
