# PyTorch's recurrent example of MNIST: one LSTM call over 20000 images
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 1280MiB
# needs: libraries
# from: pytorch/examples@77f55b912142e11fcfdf5b530231fb9c52f181e8 mnist_rnn/main.py
# files: mnist_rnn
# fails: %run main.py --batch-size 20000 --accel --epochs 1 --dry-run
# cure: --batch-size 20000 => --batch-size 2000

# %%
import torchvision
from standins import Images

torchvision.datasets.MNIST = Images(1, 28, 28, length=22000)

# %%
%run main.py --batch-size 20000 --accel --epochs 1 --dry-run
