# PyTorch's DCGAN with a batch of 800, as its README calls it
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 1843MiB
# needs: libraries
# from: pytorch/examples@77f55b912142e11fcfdf5b530231fb9c52f181e8 dcgan/main.py
# files: dcgan
# fails: %run main.py --dataset fake --accel --batchSize 800 --niter 1 --dry-run
# cure: --batchSize 800 => --batchSize 256

# %%
import torchvision
from standins import Images

torchvision.datasets.FakeData = Images(3, 64, 64, length=1700)

# %%
%run main.py --dataset fake --accel --batchSize 800 --niter 1 --dry-run
