"""What happens over time: growth while a cell runs and from run to run, and who is warned."""
