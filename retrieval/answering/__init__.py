"""Answers: the engine's rounds with a writer after them. The answer workflow has a route before them too.

    workflow     route and plan, retrieve, judge and write, one follow-up
    retrieve     one retrieval, and the answer that it asks for    synthesis   that answer, citing `[ref_id:n]`
    route        are documents needed?    write   the answer as blocks    conclude   judge and write in one reply
    citations    what an answer may keep        offline    the answer without a model

Only `workflow`, `retrieve` and `synthesis` await.

Each prompt is a text file in `retrieval/engine/prompts/` with a version in its name; a change makes a new version.
"""
