"""Runs one call of retrieve, answer, MCP or Model Studio. The effort of the request says how far it goes.

documents    the documents of a call: plan, search, merge, select, follow up, ground
synthesis    the same, and an answer that is written from them
answers      an answer: route beside plan, search, judge beside write, follow up, conclude
run          a running call: its request, its ports, its budget
rounds       the rounds of an answer: searches, their documents as chunks, a record
planning     the plan of a call, and its early searches        judging       the judgement of a round
searching    the searches of a plan, all at once              servers       calls of tools of MCP servers
writing      the writer, and its draft as far as it holds     draft         the state of an answer with its draft
growing_draft  a draft shown while it is written              shown_answer  the text that a caller has of an answer
second_round what is missing, or planned anew
subqueries   the searches of a round: which there are          waiting       waiting for them, and which are late
merge        their documents as one list                      order         the order of references beyond scores
preferences  what the question names of facets               selection     which references and chunks go on
chunks       texts of references within a budget              ground        the grounding text within a budget of tokens
model_calls  model calls within the time and the tokens      records       the record of every step
observing    events for observers
"""
