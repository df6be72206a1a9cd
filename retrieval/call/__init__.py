"""One call, awaited: of retrieve, answer, MCP and Model Studio alike. The effort of the request says how far it goes.

retrieve     a retrieval, awaited: plan, search, merge, judge, follow up, ground
workflow     route and plan, retrieve, judge and write, a second round
rounds       the rounds of searches, awaited: all at once, their documents as chunks, one follow-up
planning     the plan of a call, awaited                      head_start    the searches of a growing plan
judging      the judgement of a round, awaited                preferences   those of a call's indexes, awaited
draft        the state of an answer, and its checked draft    second_round  what is missing, or planned anew
synthesis    the answer of a retrieval                        retrieve_and_answer   both
search       the searches of a round                          hinted_search what hints change in the searches
waiting      waiting for the searches of a round, awaited     late          when one of them is late
merge        their documents as one list                      order         the order of references beyond scores
chunks       texts of references within a budget              selection     which references and chunks go on
ground       the grounding text within a budget of tokens     records       the record of every step
places       where a follow-up's documents stand
budget       the budget of time and tokens                    observing     events for observers
"""
