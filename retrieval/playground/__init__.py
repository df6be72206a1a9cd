"""A page that asks this service as any client does, and shows what happened: plain HTML, CSS and ES modules, no build.

- `files`: The files of the page, with the headers that keep it to its own origin

    page.html  page.css  page.js      the page: its parts, its look, and what connects them
    element.js                        makes elements: what a document or a model says becomes text, never markup
    state.js                          the question and its settings, in the address and never with a key
    service.js  ask.js  stream.js     calls of the service: names and fields; a question; its events as they come
    told.js                           an answer of any operation as one shape, which every view reads
    result.js  compare.js             one answer with all its views; what differs between two
    waterfall.js  scores.js           the time axis; each score as a mark, with the threshold to drag
    dropped.js  references.js         the plan with what went and why; what stayed
    find.js                           where a document is that is not there
    answer.js  evidence.js            the text with its citations; how sure the judge is, part by part
    prices.js  copy.js                what it cost; the request as code
"""
