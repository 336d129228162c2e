"""Robot states as messages: joint states, odometry, frames, drawings, efforts."""
