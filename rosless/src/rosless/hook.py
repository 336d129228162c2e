"""
What `rosless.pth` imports when the interpreter starts; it must be quick and never fail.

The finder proper is only loaded when a package is asked for that looks like one with interfaces.

"""
