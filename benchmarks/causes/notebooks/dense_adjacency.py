# A graph of 90,000 nodes as a dense matrix
#
# cause: huge-request
# edit: no
# remedy: split-request
# gpu: 24GiB
# fails: A = build_adjacency(edge_index, num_nodes=90_941)
# source: https://github.com/pyg-team/pytorch_geometric/issues/2005

# %%
import torch
import torch.nn as nn


class GCNLayer(nn.Module):
    def __init__(self, din, dout):
        super().__init__()
        self.lin = nn.Linear(din, dout)

    def forward(self, x, adj):
        return torch.relu(adj @ self.lin(x))


def build_adjacency(edge_index, num_nodes):
    adj = torch.zeros(num_nodes, num_nodes, device="cuda")
    adj[edge_index[0], edge_index[1]] = 1.0
    deg = adj.sum(1).clamp(min=1)
    return adj / deg[:, None]


# %%
edge_index = torch.randint(0, 90_941, (2, 1_000_000), device="cuda")
x = torch.randn(90_941, 128, device="cuda")
gcn = GCNLayer(128, 64).cuda()

# %%
A = build_adjacency(edge_index, num_nodes=90_941)
out = gcn(x, A)
