"""What the rules know of a language, one file of data a language, and which language a text is in.

- `language`: The members of a language
- `recognition`: The language of a text, by its commonest words and signs
- `en`: English, which every text is read as in doubt
- `de`, `es`, `fr`, `it`, `ja`, `ko`, `pt`, `zh`: German, Spanish, French, Italian, Japanese, Korean, Portuguese and
  Chinese
"""
