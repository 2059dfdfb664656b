"""From evidence to a cause and to remedies: rules by theme, remedies as rows."""
