"""A running call, and the questions that it puts to a model. Retrieval, writing and answers all build on it.

- `budget`: a running call: its request, its budget of time and tokens, and the record of each step
- `model_calls`: a step's question to a model, within the budget
- `ports`: the ports of a call, and the searches that it waits for
- `prompts`: a text file for each prompt, and its parts
- `prompt_parts`: the turns and the chunks that a model reads, their fences in a prompt, and shorter questions
- `replies`: reading a model's reply

Each prompt is a text file in `prompts/` with a version in its name. A changed prompt gets a new version.
"""
