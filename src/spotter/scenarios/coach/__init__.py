"""The coach: a visit that goes from screening to plan to workout to log, and the four agents who lead it."""
