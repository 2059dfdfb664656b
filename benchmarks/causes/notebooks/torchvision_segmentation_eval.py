# A segmentation model of torchvision is evaluated with gradients; timm is imported, too
#
# cause: evaluation-with-gradients
# also: activations
# edit: yes
# remedy: no-grad, smaller-batch
# gpu: 5GiB
# needs: libraries
# fails: miou = evaluate(net, range(3))
# cure: def evaluate(net, loader): => @torch.inference_mode()\ndef evaluate(net, loader):
# source: https://stackoverflow.com/questions/54374935/how-can-i-fix-this-strange-error-runtimeerror-cuda-error-out-of-memory

# %%
import timm
import torch
import torchvision

net = torchvision.models.segmentation.deeplabv3_resnet50(weights=None, weights_backbone=None, num_classes=21)
net = net.cuda()


# %%
def evaluate(net, loader):
    net.eval()
    hits = []
    for _ in loader:
        images = torch.rand(8, 3, 384, 384, device="cuda")
        out = net(images)["out"].argmax(1)
        hits.append((out == 0).float().mean().item())
    return sum(hits) / len(hits)


# %%
miou = evaluate(net, range(3))
