"""From evidence to a cause and to remedies: rules and fixes, one file each."""
