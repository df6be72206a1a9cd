"""The syntaxes of a search, and its options.

- `hybrid`: `hybridSearch`: how much of the text matches a hybrid search fuses, and what it counts
- `lucene`: The full Lucene syntax (`queryType: full`), parsed by luqum
- `lucene_regex`: Lucene's regular expressions (its class RegExp) in the dialect of tantivy, both of which are
  automata
- `lucene_words`: A word of the full Lucene syntax: escapes taken out, wildcards recognized
- `luqum_parser`: luqum's parser, loaded without a word
- `matching`: Which words of a text a query is about: for highlights
- `options`: What a search request may say, and what of it this service does
- `projection`: `$select`: which parts of a document go out
- `scoring_parameters`: `scoringParameters` of a search: a name, a dash, and values with commas between them
- `simple`: Azure AI Search's simple query syntax, read so that no natural sentence fails
- `spelling`: `queryLanguage` and `speller` of a search: checked, and without effect
- `stacked_queries`: What a search for words or a phrase becomes in a field whose analyzer stacks terms at one
  position
- `synonym_queries`: What a search for words or a phrase becomes in a field with synonyms
- `syntax`: The text of a search by the name of its syntax
- `tree`: What a query syntax is read into, and what `text_index` runs
"""
