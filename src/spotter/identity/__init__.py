"""Who someone is, and what is kept secret for them: organisations, people, tokens, keys, secrets at rest."""
