# BERT with every text padded to the maximal length
#
# cause: activations
# what: input-length
# edit: yes
# remedy: shorter-input, smaller-batch, autocast, checkpointing
# gpu: 3GiB
# needs: libraries
# fails: outputs = model(**batch)
# cure: MAX_LEN = 512 => MAX_LEN = 128
# source: https://github.com/agemagician/ProtTrans/issues/45

# %%
import torch
from transformers import BertConfig, BertForSequenceClassification

MAX_LEN = 512
TRAIN_BATCH = 16

config = BertConfig(num_hidden_layers=8, hidden_size=512, num_attention_heads=8, intermediate_size=2048)
model = BertForSequenceClassification(config).to("cuda")
optimizer = torch.optim.AdamW(params=model.parameters(), lr=1e-5)


# %%
def collate(texts):
    """Pad to max_length, as the tutorial does."""
    ids = torch.zeros(len(texts), MAX_LEN, dtype=torch.long)
    mask = torch.zeros_like(ids)
    for row, text in enumerate(texts):
        ids[row, : len(text)] = torch.tensor(text)[:MAX_LEN]
        mask[row, : len(text)] = 1
    return {"input_ids": ids, "attention_mask": mask, "labels": torch.zeros(len(texts), dtype=torch.long)}


tweets = [[101, 7592, 2088, 102]] * 64

# %%
model.train()
for i in range(0, 32, TRAIN_BATCH):
    batch = {k: v.to("cuda") for k, v in collate(tweets[i:i + TRAIN_BATCH]).items()}
    outputs = model(**batch)
    optimizer.zero_grad()
    outputs.loss.backward()
    optimizer.step()
