"""Speaking with an agent: a short-lived key for the browser, what the conversation may cost, and what was said in it.

Sound goes from the browser to the provider and back, and never through us. So a conversation is bounded before it
begins (who, which agent, which model, how long, how much), and what was said and used is reported while it lasts.
"""
