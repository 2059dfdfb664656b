# PyTorch's language model on words: logits of 400 sequences over 28,000 words
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, shorter-input, autocast
# gpu: 4GiB
# from: pytorch/examples@77f55b912142e11fcfdf5b530231fb9c52f181e8 word_language_model/main.py
# files: word_language_model
# fails: %run main.py --accel --batch_size 400 --epochs 1 --dry-run
# cure: --batch_size 400 => --batch_size 50

# %%
import os
import random

words = [f"word{n}" for n in range(28_000)]
os.makedirs("data/wikitext-2", exist_ok=True)
for name, lines in {"train": 20_000, "valid": 300, "test": 300}.items():
    with open(f"data/wikitext-2/{name}.txt", "w") as file:
        file.writelines(" ".join(random.choices(words, k=20)) + "\n" for _ in range(lines))

# %%
%run main.py --accel --batch_size 400 --epochs 1 --dry-run
