# The test of a while loop reads what each step makes
# offered: no
# because: the test reads error
# about: {"names": ["error"], "where": "loop"}
# fails: error = (w - 3).square().mean()
# %%
import torch
w = torch.zeros(4, requires_grad=True)
error = torch.tensor(9.0)
steps = 0
while error > 0.1:
    error = (w - 3).square().mean()
    error.backward()
    with torch.no_grad():
        w -= w.grad
        w.grad = None
    steps += 1
