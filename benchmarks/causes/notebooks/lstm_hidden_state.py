# The hidden state of an LSTM is carried from batch to batch without detach
#
# cause: retained-graph
# edit: yes
# remedy: keep-numbers
# gpu: 8GiB
# fails: output, hidden = model(data, hidden)
# cure: model(data, hidden) => model(data, hidden.detach())
# source: https://discuss.pytorch.org/t/optimizing-cuda-memory-pipeline-for-rnn/3311

# %%
import torch
import torch.nn as nn


class CharRNN(nn.Module):
    def __init__(self, vocab=256, hidden=2048):
        super().__init__()
        self.emb = nn.Embedding(vocab, 512)
        self.cell = nn.GRUCell(512, hidden)
        self.head = nn.Linear(hidden, vocab)

    def forward(self, x, h):
        outs = []
        for t in range(x.size(1)):
            h = self.cell(self.emb(x[:, t]), h)
            outs.append(h)
        return self.head(torch.stack(outs, 1)), h


model = CharRNN().cuda()
optimizer = torch.optim.RMSprop(model.parameters(), lr=2e-3)
criterion = nn.CrossEntropyLoss()

# %%
bptt = 35
batch = 256
corpus = torch.randint(0, 256, (batch, 100 * bptt + 1))

# %%
hidden = torch.zeros(batch, 2048, device="cuda")
for i in range(0, corpus.size(1) - 1, bptt):
    data = corpus[:, i:i + bptt].cuda()
    targets = corpus[:, i + 1:i + 1 + bptt].cuda()
    output, hidden = model(data, hidden)
    loss = criterion(output.reshape(-1, 256), targets.reshape(-1))
    # without retain_graph: "Trying to backward through the graph a second time"
    loss.backward(retain_graph=True)
    if i // bptt % 50 == 49:
        optimizer.step()
        optimizer.zero_grad()
