"""From evidence to a cause and to remedies: rules and remedies, one file each."""
