"""What a motion has to satisfy."""
