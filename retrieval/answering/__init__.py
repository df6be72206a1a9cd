"""Answers: the engine's rounds with a writer after them. The answer workflow has a route before them too.

    workflow     route and plan, retrieve, judge and write, a second round
    draft        the state of an answer, and its checked draft     second_round   what is missing, or planned anew
    second_plan  other queries where the first found nothing
    retrieve     one retrieval, and the answer that it asks for    synthesis   that answer, citing `[ref_id:n]`
    route        are documents needed?    write   the answer as blocks    conclude   judge and write in one reply
    citations    what an answer may keep        matches    the answer that nobody wrote
    passages     what is shown of a chunk where nobody writes
    habits       Markdown that a model writes into a block

Only `workflow`, `draft`, `second_round`, `retrieve` and `synthesis` await.

Each prompt is a text file in `retrieval/engine/prompts/` with a version in its name; a change makes a new version.
"""
