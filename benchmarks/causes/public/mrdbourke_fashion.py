# Bourke's small convolutional network on garments with a batch of 8192
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 1GiB
# needs: libraries
# from: mrdbourke/pytorch-deep-learning@baa27b691617461c173ecf3439793cd8cde74e13 03_pytorch_computer_vision.ipynb
# change: BATCH_SIZE = 32 => BATCH_SIZE = 8192
# fails: 41:11
# cure: BATCH_SIZE = 8192 => BATCH_SIZE = 512

# %%
import torchvision
from tqdm.auto import tqdm
from standins import Images, absent

absent("matplotlib", "helper_functions")
absent("matplotlib.pyplot")
torchvision.datasets.FashionMNIST = Images(1, 28, 28, length=30_000)
accuracy_fn = lambda y_true, y_pred: 0.0

# %% theirs 1 2 6 10 18 21

# %% theirs 25 30 40

# %% theirs 41
