"""What it costs: prices and markup, the ledger of model calls, caps, credits, tiers."""
