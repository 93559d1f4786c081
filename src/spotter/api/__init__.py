"""HTTP in and out: one router per noun, no rules inside.

The plumbing every request passes (correlation, hosts, limits, problems, headers, metrics) is pure ASGI, so
streams and WebSockets go through untouched.
"""
