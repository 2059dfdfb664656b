# Embeddings under the name of their sentence, as lists in a table later
# offered: yes
# about: {"name": "vectors"}
# fails: vectors[text] = encode(text)
# %%
import torch
table = torch.nn.Embedding(64, 5, device="cuda")

@torch.inference_mode()
def encode(text):
    ids = torch.tensor([ord(c) % 64 for c in text], device="cuda")
    return table(ids).mean(0)
# %%
vectors = {}
for text in ["a line", "another", "more"]:
    vectors[text] = encode(text)
# %%
rows = [[text, *vectors[text].tolist()] for text in sorted(vectors)]
print(len(rows), len(rows[0]))
