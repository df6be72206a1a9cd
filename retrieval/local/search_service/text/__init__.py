"""Text to index terms.

- `analysis`: Text to index terms, as Lucene's analyzers of the same names do it
- `analyze`: `search.analyze`: the tokens that an analyzer, or parts of one, make of a text
- `analyzer`: An analyzer: how a text is cut into words, and what index term each word becomes
- `french`: What `fr.lucene` does to a word: elision, lower case, stop words, stem
- `german`: What `de.lucene` does to a word: lower case, stop words, one spelling of umlauts, stem
- `languages`: How the semantic ranker reads each language
- `lexical`: Custom analyzers: their parts, how they are defined, and what they make of a text
- `pairs`: Scripts without blanks between words: every two neighbouring signs are a term
- `passages`: A text cut into passages, each a piece of it as it is: sentences, and pieces of those that are too long
- `spanish`: What `es.lucene` does to a word: lower case, stop words, stem
- `synonyms`: Synonym maps: rules in the solr format, applied to a search when it runs
"""
