# Logits over a large vocabulary grow by concatenation during evaluation
#
# cause: kept-tensors
# edit: yes
# remedy: keep-numbers, eval-accumulation
# gpu: 3GiB
# fails: all_logits = logits if all_logits is None else torch.cat([all_logits, logits])
# cure: lm["head"](lm["enc"](lm["tok"](ids))) => lm["head"](lm["enc"](lm["tok"](ids))).argmax(-1)
# cure: all_logits.argmax(-1).cpu() => all_logits.cpu()
# source: https://github.com/huggingface/transformers/issues/7232

# %%
import torch
from torch import nn
from tqdm.auto import tqdm

vocab_size, seq_len, d_model = 8_000, 256, 256

encoder = nn.TransformerEncoder(
    nn.TransformerEncoderLayer(d_model, 4, 1024, batch_first=True), num_layers=2
)
lm = nn.ModuleDict(
    {"tok": nn.Embedding(vocab_size, d_model), "enc": encoder, "head": nn.Linear(d_model, vocab_size)}
).cuda()

# %%
eval_batches = [torch.randint(0, vocab_size, (8, seq_len)) for _ in range(32)]

# %%
lm.eval()
all_logits, all_labels = None, []
with torch.inference_mode():
    for ids in tqdm(eval_batches, disable=True):
        ids = ids.cuda()
        logits = lm["head"](lm["enc"](lm["tok"](ids)))
        all_logits = logits if all_logits is None else torch.cat([all_logits, logits])
        all_labels.append(ids.cpu())

accuracy = (all_logits.argmax(-1).cpu() == torch.cat(all_labels)).float().mean()
