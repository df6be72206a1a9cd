"""A model's steps in a call: the prompt of each and the reader of its reply, side by side. Nothing here awaits.

    route        are documents needed?                    plan         the queries of a conversation
    plan_filter  the filter that a model may write        plan_hints   what a plan makes of query hints
    second_plan  other queries where the first found nothing
    select       what comes first, and is still to be searched      judge   the evidence for an answer
    write        the answer as blocks                     markdown_habits   Markdown that a model writes into a block
    conclude     judge and write in one reply             replies      reading a model's reply
    tool_calls   which tools are called, with what        input_schema whether a tool's schema allows it
    fences       chunks as data of a prompt               prompts      a text file for each prompt

Each prompt is a text file in `prompts/` with a version in its name; a change makes a new version.
"""
