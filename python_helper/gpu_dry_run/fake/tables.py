"""Data sets of the hub that are known by their names: their columns, and rows of what size.

From `dataset_infos.json` of each in the `datasets` library's own repository, before these moved to
the hub (github.com/huggingface/datasets, a5192964); the size of images is the usual one.
"""

from __future__ import annotations

from typing import NamedTuple

# One line per data set: owner and name, configuration, columns, and splits as rows x bytes of a
# row. A column is a text by default and has one share of the row's bytes, or 12 with `*12`. `[]` is
# a list of the type after it; a number is the count of classes; sizes with `x` are an image.
_KNOWN = """
stanfordnlp/imdb plain_text text,label:neg/pos train=25000x1337 test=25000x1306 \
unsupervised=50000x1342
nyu-mll/glue mrpc sentence1,sentence2,label:not_equivalent/equivalent,idx:int32 test=1725x257 \
train=3668x258 validation=408x260
rajpurkar/squad plain_text id:id,title:id,context*12,question,answers:answers train=87599x905 \
validation=10570x991
Salesforce/wikitext wikitext-2-raw-v1 text test=4358x299 train=36718x301 validation=3760x308
dair-ai/emotion default text,label:sadness/joy/love/anger/fear/surprise train=16000x109 \
validation=2000x107 test=2000x109
Helsinki-NLP/opus_books en-fr id:id,translation:en-fr train=127085x260
eriktks/conll2003 conll2003 \
id:id,tokens[],pos_tags[]:47,chunk_tags[]:23,\
ner_tags[]:O/B-PER/I-PER/B-ORG/I-ORG/B-LOC/I-LOC/B-MISC/I-MISC \
train=14042x494 validation=3251x535 test=3454x458
AI-Lab-Makerere/beans default \
image_file_path:id,image:500x500x3,labels:angular_leaf_spot/bean_rust/healthy train=1034x370 \
validation=133x374 test=128x364
"""


class Table(NamedTuple):
    """One configuration of a data set: columns as in its line, and rows and bytes by part."""

    columns: list[str]
    parts: dict[str, tuple[int, int]]


def table_of(name: str, config: str | None) -> Table | None:
    """Return a known data set, by default its first configuration; `None` if it is unknown."""
    for line in _KNOWN.strip().splitlines():
        full, its_config, columns, *parts = line.split()
        if name in {full, full.partition("/")[2]} and config in {None, "default", its_config}:
            sizes = [text.replace("=", "x").split("x") for text in parts]
            return Table(
                columns.split(","), {part: (int(rows), int(size)) for part, rows, size in sizes}
            )
    return None
