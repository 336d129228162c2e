"""Interfaces: reading `.msg`, `.srv` and `.action` text, message classes, CDR encoding."""
