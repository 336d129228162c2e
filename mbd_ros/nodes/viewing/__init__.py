"""
What the viewer shows and lets one do: a view in a file of its own for each.

A new one is a class in a file here, which listens to topics, a drawing in ``page/drawings``, which
knows no messages, and an entry in ``views.VIEWS``.
"""
