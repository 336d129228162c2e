"""What the scene of the page shows besides the robot: a file for each drawing."""
