# A step of one's own for a Keras model on PyTorch, as one writes it with GradientTape
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, keras-policy
# gpu: 5GiB
# needs: libraries
# fails: loss = train_step(images, labels)
# cure: BATCH = 2048 => BATCH = 256
# source: https://keras.io/guides/writing_a_custom_training_loop_in_torch/

# %%
import os

os.environ["KERAS_BACKEND"] = "torch"

import keras
import torch

inputs = keras.Input((64, 64, 3))
x = keras.layers.Conv2D(32, 3, padding="same", activation="gelu")(inputs)
x = keras.layers.Conv2D(32, 3, padding="same", activation="gelu")(x)
x = keras.layers.GlobalAveragePooling2D()(x)
model = keras.Model(inputs, keras.layers.Dense(5)(x))
optimizer = keras.optimizers.SGD(learning_rate=1e-3)
loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


# %%
def train_step(images, labels):
    logits = model(images, training=True)
    loss = loss_fn(labels, logits)
    model.zero_grad()
    trainable_weights = [v for v in model.trainable_weights]
    loss.backward()
    gradients = [v.value.grad for v in trainable_weights]
    with torch.no_grad():
        optimizer.apply(gradients, trainable_weights)
    return loss


# %%
BATCH = 2048
for _ in range(2):
    images = torch.rand(BATCH, 64, 64, 3, device="cuda")
    labels = torch.zeros(BATCH, dtype=torch.long, device="cuda")
    loss = train_step(images, labels)
