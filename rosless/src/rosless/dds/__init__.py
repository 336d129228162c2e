"""The DDS side: configuration, participant, raw readers and writers, waiting."""
