# PyTorch's siamese network: the batch of the test, not that of the training, is too large
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch
# gpu: 1GiB
# needs: libraries
# from: pytorch/examples@77f55b912142e11fcfdf5b530231fb9c52f181e8 siamese_network/main.py
# files: siamese_network
# fails: %run main.py --test-batch-size 4000 --epochs 1 --dry-run
# cure: --test-batch-size 4000 => --test-batch-size 100

# %%
import torchvision
from standins import Images

torchvision.datasets.MNIST = Images(1, 28, 28, length=4000)

# %%
%run main.py --test-batch-size 4000 --epochs 1 --dry-run
