"""The viewer's page in the browser; it knows no messages."""
