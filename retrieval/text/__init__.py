"""Rules about texts, one per module. Pure: nothing here awaits.

content_words        the words of a text that count, NFKC      standalone_question   a question made to stand alone
sentences            where sentences begin and end            small_talk            greetings, thanks and farewells
reading              a text, and what rules read in it, once
quotations           is a quotation in a text word for word?  addresses             pages and mailboxes in a text
near_duplicates      a list without nearly identical texts   tokens                tokens from UTF-8 bytes
source_labels        the name of a source; a text as its reader sees it
plain_text           a model's words as plain text
strict_json          JSON without extensions of parsers, and how much a text holds
growing_list         a JSON list that is still being written   growing_object   an object that is
json_path              paths to documents within JSON
languages            data of each, and the language of a text
clipped              a long text, cut at a word              counted_noun          a number with its noun
lucene               a search text with boosts               layout               the blocks of a text
links                links by their labels
as_read              the form in which quotations are compared  figures            the values that a text has
"""
