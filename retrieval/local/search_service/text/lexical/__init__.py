"""Custom analyzers: their parts, how they are defined, and what they make of a text.

    definition      sections of an index definition     kinds   analyzer_kinds   tokenizer_kinds   token_filter_kinds
    predefined      what needs no definition            limits
    chain           an analyzer made of parts           read_text   what a char filter leaves, with the way back
    char_filters    mapping, pattern_replace            html    html_strip
    tokenizers      standard, keyword, pattern, nGram …
    token_filters   one token at a time                 removing   grams   synonym_filter   ascii_folding   stemming
    java_pattern    regular expressions, by RE2         replacing   what stands for their matches

What Azure has beyond these parts is refused by name (`UnsupportedByLocalSearch`).
"""
