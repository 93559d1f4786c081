"""The athlete's world: what exercises there are, what is known about training with them, logs of others' making.

Everything here is pure: values in, values out, no database and no clock.
"""
