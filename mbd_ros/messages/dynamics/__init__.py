"""Requests and answers of the dynamics services."""
