# Maps that are saved to a buffer at the end
# offered: yes
# about: {"name": "maps"}
# fails: out = net(tile)
# %%
import io, torch
net = torch.nn.Conv2d(1, 1, 3, padding=1).cuda()
maps = []
for tile in torch.randn(3, 1, 1, 8, 8, device="cuda"):
    with torch.no_grad():
        out = net(tile)
    maps.append(out)
# %%
buffer = io.BytesIO()
torch.save(maps, buffer)
size = buffer.tell() > 0
