"""Live outputs where no extension of ours is: a frame of the page talks to this kernel by itself.

In the wheel only: a kernel that a page brings its helper into has the extension.
"""
