# A vision transformer of timm on images of 896 pixels
#
# cause: activations
# what: image-size
# edit: yes
# remedy: smaller-image, autocast, checkpointing, smaller-batch
# gpu: 4GiB
# needs: libraries
# fails: logits = model(images)
# cure: img_size = 896 => img_size = 224
# source: https://huggingface.co/docs/timm/training_script

# %%
import timm
import torch

img_size = 896
model = timm.create_model("vit_small_patch16_224", pretrained=False, img_size=img_size, num_classes=37)
model = model.cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, weight_decay=0.05)
criterion = torch.nn.CrossEntropyLoss(label_smoothing=0.1)

# %%
model.train()
for step in range(2):
    images = torch.rand(4, 3, img_size, img_size, device="cuda")
    labels = torch.randint(0, 37, (4,), device="cuda")
    logits = model(images)
    loss = criterion(logits, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
