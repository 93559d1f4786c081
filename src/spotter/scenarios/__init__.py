"""Who speaks: agents as Markdown files. Scenarios, stages and handoffs come here too."""
