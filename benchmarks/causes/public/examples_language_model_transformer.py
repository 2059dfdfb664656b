# PyTorch's language model as a transformer whose sequences are too long
#
# cause: activations
# what: input-length
# edit: yes
# remedy: shorter-input, smaller-batch, autocast
# gpu: 3GiB
# from: pytorch/examples@77f55b912142e11fcfdf5b530231fb9c52f181e8 word_language_model/main.py
# files: word_language_model
# fails: %run main.py --accel --model Transformer --bptt 700 --epochs 1 --dry-run
# cure: --bptt 700 => --bptt 70

# %%
import os
import random

words = [f"word{n}" for n in range(20_000)]
os.makedirs("data/wikitext-2", exist_ok=True)
for name, lines in {"train": 8_000, "valid": 300, "test": 300}.items():
    with open(f"data/wikitext-2/{name}.txt", "w") as file:
        file.writelines(" ".join(random.choices(words, k=20)) + "\n" for _ in range(lines))

# %%
%run main.py --accel --model Transformer --bptt 700 --epochs 1 --dry-run
