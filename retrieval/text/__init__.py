"""Functions that process texts, without async code.

- `content_words`: the words of a text, in the form in which they are compared
- `sentences`: the places where sentences begin and end
- `user_message`: a user's courtesies, and questions that depend on earlier turns
- `text_values`: a text, and cached values such as its words and figures
- `quotations`: finds quotations, and checks that a text contains them word for word
- `brackets`: the square brackets that are words of a text
- `near_duplicates`: removes nearly identical texts from a list
- `length`: how long a text is, and a long text cut at a word
- `source_labels`: the label of a source, and its text without invisible characters
- `strict_json`: reads JSON strictly, and limits its size
- `growing_object`: reads a JSON object, or its first list, while it is being written
- `languages`: the known languages, and which of them a text is in
- `counted_noun`: a number with its noun
- `lucene`: a search text with boosts
- `layout`: the blocks of a text
- `links`: links and addresses in a text, and a model's short texts as plain text
- `normal_form`: the form in which quotations are compared
- `figures`: the figures of a text, and those of a claim that other texts do not have
"""
