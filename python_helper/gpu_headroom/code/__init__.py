"""Reading the person's Python: the one room that parses it, and looks across their cells."""
