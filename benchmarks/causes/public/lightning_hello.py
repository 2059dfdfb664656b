# Lightning's hello world: the images of one batch are all that the GPU holds
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch
# gpu: 560MiB
# needs: libraries
# from: Lightning-AI/tutorials@15817658a2d63afa338b9e1cd8454fb98d746fac lightning_examples/mnist-hello-world/hello-world.py
# change: batch_size: int = 256 if => batch_size: int = 50000 if
# change: max_epochs: int = 3 => max_epochs: int = 1
# fails: 3:18
# cure: batch_size: int = 50000 if => batch_size: int = 1000 if

# %%
import torchvision
from standins import Images, absent

absent("seaborn", "pandas")
torchvision.datasets.MNIST = Images(1, 28, 28)

# %% theirs 1 2 3
