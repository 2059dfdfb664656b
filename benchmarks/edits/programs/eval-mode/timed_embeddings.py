# Embeddings of all texts in one timed cell
# offered: yes
# about: {"model": "encoder"}
# fails: vectors = [encoder(t).mean(0) for t in texts]
# %%
import torch

torch.manual_seed(5)
encoder = torch.nn.Sequential(torch.nn.Embedding(20, 6), torch.nn.Dropout(0.0), torch.nn.Linear(6, 4))
texts = [torch.randint(0, 20, (n,)) for n in (3, 5, 2)]
# %%
%%time
vectors = [encoder(t).mean(0) for t in texts]
# %%
sim = torch.stack(vectors) @ torch.stack(vectors).T
print(sim.shape, encoder.training)
