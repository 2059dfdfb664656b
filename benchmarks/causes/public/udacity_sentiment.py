# Udacity's reviews: an LSTM over 200 words each, a batch of 2000
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, shorter-input, autocast
# gpu: 5GiB
# from: udacity/deep-learning-v2-pytorch@c9404fc86181fc3f0906b368697268257f348535 sentiment-rnn/Sentiment_RNN_Solution.ipynb
# change: batch_size = 50 => batch_size = 2000
# change: epochs = 4 # => epochs = 1 #
# fails: 19:34
# cure: batch_size = 2000 => batch_size = 500

# %%
import numpy as np

features = np.zeros((2_500, 200), dtype=np.int64)
encoded_labels = np.zeros(2_500, dtype=np.int64)
vocab_to_int = {f"word{n}": n for n in range(74_072)}

# %% theirs 12 13 15-18

# %% theirs 19
