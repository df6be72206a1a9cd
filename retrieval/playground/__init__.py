"""A page that asks this service like any other client, and shows each step of the answer. It is plain HTML, CSS and ES
modules, without a build.

- `files`: The files of the page, with the headers that restrict the page to its own origin

The files of the page:

- `page.html`, `page.css`, `page.js`: the parts of the page, their style, and the code that connects them
- `state.js`: the state of the page, and the functions to call after a change
- `element.js`: makes elements; texts of documents and models never become markup
- `service.js`: calls the service
- `stream.js`: reads the events of an answer as they come
- `request.js`: makes the requests of a question, for an answer and for retrieve
- `run.js`: a run: a question, with everything that is known about its answer and its retrieval
- `link.js`: makes and reads links to questions
- `figure.js`: shows values of the answer, found by their paths
- `money.js`: the cost of a run, at the prices that the reader enters
- `conversation.js`: the turns of the conversation, with citations
- `markdown.js`: Markdown of an answer as elements
- `passages.js`: an answer without a model, with the sentence that is closest to the question
- `retrieved.js`: what retrieve returns for the question of a run
- `trouble.js`: the errors of a run, and advice for each error
- `documents.js`: the list of documents
- `threshold.js`: the current threshold, and the effect of another threshold
- `missing.js`: finds a missing document, in the list or in the index
- `bars.js`: the bars of a run on a time axis that begins at the click
- `steps.js`: the steps of a run, with the input and output of each step
- `code.js`: the call as code
- `compare.js`: compares a run with the pinned run
- `welcome.js`: chooses the first base, and shows suggestions
- `questions.js`: the suggested questions and topics, from documents
- `example.js`: the finished run that the page shows first
"""
