"""The one engine. Retrieve, answer, MCP and Model Studio run it, as far as the effort of the request says.

    pipeline     the rounds, awaited: plan, search all at once, merge, judge, follow up, ground
    plan         the queries of a conversation                    plan_filter   the filter that a model may write
    search       the searches of a round                          merge         their documents as one list
    judge        a model's judgement of the evidence              evidence      the rules' judgement of it
    follow_up    queries for what the first documents name        selection     which references and chunks go on
    ground       the grounding text within a budget of tokens     activity      the record of every step
    chunks       texts of references as a model sees them         quotes        the sentences that say most
    answer_kinds the kind of answer that a question asks for      missing_information   what to ask the user
    model_calls  the budget of time and tokens                    observing     who is told what happens
    prompts      a text file for each prompt, with its version    replies       what is read of a model's reply

Only `pipeline`, `model_calls` and `observing` await or hold anything open.
"""
