"""Files as people have them: found, read, split, and loaded here or into Azure AI Search.

- `files`: which files of a folder are read, and why the others are not
- `converters`: what reads a file, by its ending. `markup`: Markdown and text; `markdown`: what its
  readers see; `mdx`; `hypertext`: HTML, with `unseen`, what no
  reader sees, and `footnotes`, notes where they are cited; `asciidoc`, with
  `asciidoc_tables`; `records`: CSV and JSON; `headers`: which
  rows name columns; `notebooks`;
  `subtitles`; `opendocument`: ODT; `calendars`: ICS; `mail`: EML, and what is
  attached. With the packages of the extra `documents` MSG too, `pdf` and
  `pdf_forms`, `restructured`: RST, `sheets`: XLSX, with `formulas`, those not calculated, `word`: DOCX, with
  `word_lists`, its numbers, `slides`: PPTX, both with `drawn`, their charts and formulas. `numerals`: a number as
  lists write it.
  `archives` counts first what a file of Office holds; `packed`: the files of a ZIP
- `parts`: what a converter gives, and the error of a file that cannot be read
- `facts`: what a file says of itself, as its author; `dates`; `front_matter`. `fields`: the fields that
  members of documents become
- `texts`: a file as text, whatever its encoding. `titles`: a title that a person gave, not a program
- `sections`: the headings of a Markdown text. `tables`: rows as a table of Markdown. `pieces`: chunks of whole
  paragraphs, rows and sentences
- `reading`: a folder or a file as documents. `summary`: how many, and what was skipped
- `command`: `index`; `loading`: what it makes of a reading in Azure AI Search; `azure_index`: an index there, kept in
  step with documents; `embeddings`: the vectors of it
- `watching`: a folder that is scanned again, and its index that follows
"""
