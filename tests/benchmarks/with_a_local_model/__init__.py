"""What a small language model of this machine is worth: its replies to the service's prompts, kept and measured.

`asking`: the questions of three public collections, asked with the model and without
`kinds`: kinds of plans and of other replies
`remembered`: the model, which is asked each prompt once
`tables`: the figures, and the prompts beside their replies
"""
