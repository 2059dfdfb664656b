# A collector class whose outputs another cell stacks and moves to the host
# offered: yes
# about: {"name": "collector.outputs"}
# fails: y = self.model(x)
# %%
import torch

class Collector:
    def __init__(self, model):
        self.model = model
        self.outputs = []

    @torch.no_grad()
    def run(self, batches):
        for x in batches:
            y = self.model(x)
            self.outputs.append(y)
# %%
collector = Collector(torch.nn.Linear(2, 2).cuda())
collector.run(torch.randn(4, 3, 2).to("cuda"))
# %%
stacked = torch.stack(collector.outputs).cpu()
mean = float(stacked.mean())
