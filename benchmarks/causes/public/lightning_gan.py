# Lightning's GAN template with a batch of 55000 in the data module of its demos
#
# cause: activations
# what: batch
# edit: no
# remedy: smaller-batch, autocast
# gpu: 1280MiB
# needs: libraries
# from: Lightning-AI/pytorch-lightning@7f0c3436cd3f6ad3753125672024fc415cbcb414 examples/pytorch/domain_templates/generative_adversarial_net.py
# files: examples/pytorch/domain_templates
# fails: %run generative_adversarial_net.py

# %%
import lightning.pytorch.demos.mnist_datamodule as demos
import lightning.pytorch.loggers.csv_logs as logs
from standins import Images

logs.ExperimentWriter.add_image = lambda *_: None
demos.MNIST = demos._MNIST = Images(1, 28, 28)
init = demos.MNISTDataModule.__init__
init.__defaults__ = tuple(55_000 if n == 32 else n for n in init.__defaults__)

# %%
%run generative_adversarial_net.py
