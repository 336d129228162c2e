"""Types of the fields of messages, as in `SLOT_TYPES` of message classes."""
