"""What an error says, whatever its size, and whether it is a GPU that ran out of memory."""
