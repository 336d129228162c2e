"""
The commands, one module each; those with verbs are packages with one module a verb.

A module has ``add_arguments(parser)`` and ``main(args)``, which returns None, an exit status, or
an error as text.

"""
