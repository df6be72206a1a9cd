"""The answer workflow: the engine's rounds, with a route before them and a writer after them.

    workflow     route and plan, retrieve, judge and write, one follow-up; awaited here
    route        are documents needed?    write   the answer as blocks    conclude   judge and write in one reply
    citations    what an answer may keep        offline    the answer without a model

Each prompt is a text file in `retrieval/engine/prompts/` with a version in its name; a change makes a new version.
"""
