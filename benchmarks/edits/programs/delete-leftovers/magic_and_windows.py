# With %%time and Windows' line ends
# offered: yes
# about: {"names": ["features"], "where": "loop"}
# fails: features = torch.fft.rfft(signal).abs()
# %%
import torch
signals = torch.randn(6, 32)
# %%
%%time
peaks = []
for signal in signals:
    features = torch.fft.rfft(signal).abs()
    peaks.append(features.argmax().item())
