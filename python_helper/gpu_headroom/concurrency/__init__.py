"""Living in a process in which others compute: threads, locks, and turns of the main thread."""
