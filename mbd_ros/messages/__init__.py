"""Numbers to messages and back; the only room that knows both."""
