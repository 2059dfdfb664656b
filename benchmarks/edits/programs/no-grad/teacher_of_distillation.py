# A teacher beside a student: only the student is trained
# offered: yes
# about: {"constant": true}
# fails: soft = teacher(xb)
# %%
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(5)
torch.set_default_dtype(torch.float64)
teacher = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 4)).eval()
student = nn.Linear(6, 4)
optimizer = torch.optim.Adam(student.parameters(), lr=1e-2)
loader = list(zip(torch.randn(24, 6).split(8), torch.randint(0, 4, (24,)).split(8)))
T = 2.0
# %%
losses = []
for epoch in range(2):
    for xb, yb in loader:
        soft = teacher(xb)
        logits = student(xb)
        kd = F.kl_div(F.log_softmax(logits / T, -1), F.softmax(soft / T, -1), reduction="batchmean")
        loss = F.cross_entropy(logits, yb) + T * T * kd
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(student.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
print(losses[-1])
