"""What a model's answers are worth: forty questions over three collections of our own, the model's replies replayed.

endpoint   a chat model over HTTP that answers from a file of replies, and keeps the prompts that have none
asking     the collections in the local service, and what it answers to each question
report     what is kept of an answer for whoever grades it, and the table

`collections/` holds the documents and `questions.json` the questions: of each the facts that a complete answer has, and
the files that hold them; a question that nothing answers has no facts.
"""
