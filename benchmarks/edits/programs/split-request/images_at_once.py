# Images through convolutions, the class in the same line
# offered: yes
# about: {"way": "predicted", "model": "model", "rows": 4}
# fails: classes = model(images).argmax(1)
# %%
import torch

torch.manual_seed(1)
model = torch.nn.Sequential(
	torch.nn.Conv2d(3, 4, 3, padding=1),
	torch.nn.ReLU(),
	torch.nn.AdaptiveAvgPool2d(1),
	torch.nn.Flatten(),
	torch.nn.Linear(4, 5),
)
model.eval()
images = torch.randn(18, 3, 8, 8)
# %%
with torch.inference_mode():
	classes = model(images).argmax(1)
print(classes.tolist())
