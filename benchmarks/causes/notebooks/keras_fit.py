# Keras on PyTorch: fit with a batch that is too large
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, keras-policy
# gpu: 5GiB
# needs: libraries
# fails: model.fit(x_train, y_train, batch_size=4096, epochs=1, verbose=0)
# cure: batch_size=4096 => batch_size=512
# source: https://github.com/keras-team/keras/issues/22339

# %%
import os

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np

x_train = np.zeros((8192, 32, 32, 3), dtype="float32")
y_train = np.zeros((8192,), dtype="int64")

# %%
model = keras.Sequential([
    keras.layers.Input((32, 32, 3)),
    keras.layers.Conv2D(64, 3, padding="same", activation="relu"),
    keras.layers.Conv2D(64, 3, padding="same", activation="relu"),
    keras.layers.GlobalAveragePooling2D(),
    keras.layers.Dense(10, activation="softmax"),
])
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")

# %%
model.fit(x_train, y_train, batch_size=4096, epochs=1, verbose=0)
