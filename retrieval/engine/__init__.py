"""The one engine of retrieve, answer, MCP and Model Studio. The effort of the request says how far it goes.

    pipeline     a retrieval, awaited: plan, search, merge, judge, follow up, ground
    rounds       the rounds of searches, awaited: all at once, their documents as chunks, one follow-up
    plan         the queries of a conversation                    plan_by_rules the same without a model
    plan_filter  the filter that a model may write                head_start    the searches of a growing plan
    plan_hints   what a plan makes of query hints                 hinted_search   what hints change in the searches
    waiting      waiting for the searches of a round, awaited     late          when one of them is late
    search       the searches of a round                          merge         their documents as one list
    planning     the plan of a call, awaited                      judging       the judgement of a round, awaited
    judge        a model's judgement of the evidence              order         the order of references beyond scores
    select       what a model puts first, and still asks for      chunks        texts of references as a model sees them
    follow_up    the names that the first documents bring         places        where a follow-up's documents stand
    names        names in a text                                  selection     which references and chunks go on
    facets       values of facets that a question names           preferences   those of a call's indexes, awaited
    ground       the grounding text within a budget of tokens     activity      the record of every step
    model_calls  the budget of time and tokens                    observing     events for observers
    prompts      a text file for each prompt, with its version    replies       reading a model's reply

Only `pipeline`, `planning`, `rounds`, `waiting`, `judging`, `preferences`, `model_calls` and `observing` await or hold
anything open; `head_start` begins what they await.
"""
