"""Parts of all other messages: time stamps, plain data, error codes, findings."""
