# A default of a lambda, and a decorator, read it
# offered: no
# because: a default and a decorator read it
# about: {"names": ["scale"], "where": "before"}
# fails: w = torch.zeros(9)
# %%
import functools, torch
scale = torch.tensor(2.0)
y = scale * 3
w = torch.zeros(9)
# %%
def scaled(by):
    def wrap(f):
        @functools.wraps(f)
        def inner(*a):
            return f(*a) * by
        return inner
    return wrap
@scaled(scale)
def g(x, k=lambda s=scale: s):
    return x + k()
v = g(torch.ones(2)).sum().item()
