"""What a language model is worth to retrieve: its replies to the service's prompts, written once and replayed."""
