"""Who speaks: agents as Markdown files, scenarios as YAML files, organisations' own with the same fields in the
database, and which of them holds for whom."""
