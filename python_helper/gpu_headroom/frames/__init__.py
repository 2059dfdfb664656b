"""Live outputs without the JupyterLab extension: a frame connects to this kernel by itself.

In the wheel only: where a front end installs the helper in a kernel, the extension is running.
"""
