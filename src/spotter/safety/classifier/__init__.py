"""The learnt part of the checks: features, weights, and the model that adds them up."""
