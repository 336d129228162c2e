"""Random examples are the same on every machine and in every run."""

from hypothesis import HealthCheck, settings

# --hypothesis-profile=default looks for others; how long an example takes is no property of ours.
settings.register_profile('same', derandomize=True, deadline=None,
                          suppress_health_check=[HealthCheck.too_slow])
settings.load_profile('same')
