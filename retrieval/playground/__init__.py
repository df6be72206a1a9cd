"""A page that asks this service as any client does, and shows what happened: plain HTML, CSS and ES modules, no build.

- `files`: The files of the page, with the headers that keep it to its own origin

    page.html  page.css  page.js      the page: its parts, its look, and what connects them
    state.js  element.js              the state, and who is told of it; elements: what a document says becomes text
    service.js  stream.js             calls of the service; an answer's events as they come
    request.js  run.js  link.js       what is sent; one question with all that is known of its answer; a link to it
    figure.js  money.js               values of the answer by their paths; what they cost at the reader's prices
    conversation.js  markdown.js      the turns at left, with citations; their Markdown as elements
    trouble.js                        what failed, and what to do
    documents.js  threshold.js        the list at right; the threshold in force, and what another would do
    missing.js                        a document that somebody misses
    bars.js  steps.js                 the time axis from the click; each step with its input and output
    code.js                           the call as code, and the JSON
    compare.js                        a run against the pinned one
    welcome.js  example.js            a first visit; the finished run that it shows
"""
