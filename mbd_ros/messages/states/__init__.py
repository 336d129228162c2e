"""How robots stand and move, as messages: joint states, odometry, frames, drawings, efforts."""
