# Batches that are awaited at the top of a cell
# offered: yes
# about: {"name": "errors"}
# fails: error = (model(x) - y).abs().mean()
# %%
import asyncio, torch

torch.manual_seed(6)
model = torch.nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)

async def batches(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield torch.randn(5, 3), torch.full((5, 1), float(i))
# %%
errors = {}
k = 0
async for x, y in batches(5):
    error = (model(x) - y).abs().mean()
    opt.zero_grad()
    error.backward()
    opt.step()
    errors[k] = error
    k += 1
# %%
worst = max(errors, key=lambda each: errors[each].item())
print(worst, {key: round(value.item(), 4) for key, value in errors.items()})
