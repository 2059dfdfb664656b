"""What a foreign object and its class are, without running any code of theirs."""
