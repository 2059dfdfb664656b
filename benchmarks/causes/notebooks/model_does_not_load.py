# The weights alone, in float32, are more than the GPU has
#
# cause: wide-dtype
# also: model-too-large
# edit: yes
# remedy: load-dtype, half-inference, quantised, offload
# gpu: 8GiB
# run: 1 2!
# fails: model = DecoderLM(**config)
# cure: torch.set_default_device => torch.set_default_dtype(torch.bfloat16)\ntorch.set_default_device
# source: https://huggingface.co/docs/transformers/main/en/llm_tutorial_optimization

# %%
import torch
from torch import nn

torch.set_default_device("cuda")
config = dict(vocab=32_000, dim=3072, heads=24, layers=28, mlp=8192)


class DecoderLM(nn.Module):
    def __init__(self, vocab, dim, heads, layers, mlp):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(dim, heads, mlp, batch_first=True) for _ in range(layers)
        )
        self.head = nn.Linear(dim, vocab, bias=False)

    def forward(self, ids):
        x = self.tok(ids)
        for block in self.blocks:
            x = block(x)
        return self.head(x[:, -1])


# %%
# for answering questions only
model = DecoderLM(**config)
model.eval()

# %%
with torch.no_grad():
    print(model(torch.randint(0, 32_000, (1, 64))).shape)
