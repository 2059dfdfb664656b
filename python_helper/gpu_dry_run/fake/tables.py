"""Data sets of the hub that are known by their names: their columns, and rows of what size.

From `dataset_infos.json` of each in the `datasets` library's own repository, before these moved to
the hub (github.com/huggingface/datasets, a5192964); the size of images is the usual one.
"""

from __future__ import annotations

from typing import NamedTuple

# A line each: the name with its owner, the name of its configuration, its columns, and its parts
# with their rows, each times the bytes of a row. A column is a text if nothing else is said, `*12`
# of so many shares; `[]` is a list of what is told; a number is that of classes, `x` an image.
_KNOWN = """
stanfordnlp/imdb plain_text text,label:neg/pos train=25000x1337 test=25000x1306 \
unsupervised=50000x1342
fancyzhx/ag_news default text,label:4 train=120000x248 test=7600x247
nyu-mll/glue cola sentence,label:unacceptable/acceptable,idx:int32 test=1063x57 train=8551x57 \
validation=1043x58
nyu-mll/glue sst2 sentence,label:negative/positive,idx:int32 test=1821x119 train=67349x70 \
validation=872x122
nyu-mll/glue mrpc sentence1,sentence2,label:not_equivalent/equivalent,idx:int32 test=1725x257 \
train=3668x258 validation=408x260
nyu-mll/glue qqp question1,question2,label:not_duplicate/duplicate,idx:int32 train=363846x140 \
validation=40430x140 test=390965x141
nyu-mll/glue stsb sentence1,sentence2,label:float32,idx:int32 test=1379x124 train=5749x132 \
validation=1500x145
nyu-mll/glue mnli premise,hypothesis,label:entailment/neutral/contradiction,idx:int32 \
test_matched=9796x189 test_mismatched=9847x199 train=392702x191 validation_matched=9815x187 \
validation_mismatched=9832x199
nyu-mll/glue qnli question,sentence,label:entailment/not_entailment,idx:int32 test=5463x252 \
train=104743x245 validation=5463x251
nyu-mll/glue rte sentence1,sentence2,label:entailment/not_entailment,idx:int32 test=3000x325 \
train=2490x341 validation=277x328
nyu-mll/glue wnli sentence1,sentence2,label:not_entailment/entailment,idx:int32 test=146x260 \
train=635x169 validation=71x172
rajpurkar/squad plain_text id:id,title:id,context*12,question,answers:answers train=87599x905 \
validation=10570x991
rajpurkar/squad_v2 squad_v2 id:id,title:id,context*12,question,answers:answers train=130319x895 \
validation=11873x982
Salesforce/wikitext wikitext-2-raw-v1 text test=4358x299 train=36718x301 validation=3760x308
Salesforce/wikitext wikitext-2-v1 text test=4358x292 train=36718x297 validation=3760x302
Salesforce/wikitext wikitext-103-raw-v1 text test=4358x299 train=1801350x303 validation=3760x308
Yelp/yelp_review_full yelp_review_full label:5,text train=650000x744 test=50000x745
fancyzhx/yelp_polarity plain_text text,label:1/2 train=560000x738 test=38000x736
cornell-movie-review-data/rotten_tomatoes default text,label:neg/pos train=8530x126 \
validation=1066x126 test=1066x128
dair-ai/emotion default text,label:sadness/joy/love/anger/fear/surprise train=16000x109 \
validation=2000x107 test=2000x109
abisee/cnn_dailymail 3.0.0 article*14,highlights,id:id train=287113x4394 validation=13368x4319 \
test=11490x4345
Samsung/samsum samsum id:id,dialogue*5,summary train=14732x643 test=819x653 validation=818x631
Helsinki-NLP/opus_books en-fr id:id,translation:en-fr train=127085x260
Helsinki-NLP/opus_books de-en id:id,translation:de-en train=51467x267
Helsinki-NLP/opus_books en-es id:id,translation:en-es train=93470x271
Helsinki-NLP/opus_books en-it id:id,translation:en-it train=32332x278
eriktks/conll2003 conll2003 \
id:id,tokens[],pos_tags[]:47,chunk_tags[]:23,\
ner_tags[]:O/B-PER/I-PER/B-ORG/I-ORG/B-LOC/I-LOC/B-MISC/I-MISC \
train=14042x494 validation=3251x535 test=3454x458
uoft-cs/cifar10 plain_text \
img:32x32x3,label:airplane/automobile/bird/cat/deer/dog/frog/horse/ship/truck train=50000x2277 \
test=10000x2277
uoft-cs/cifar100 cifar100 img:32x32x3,fine_label:100,coarse_label:20 train=50000x2255 \
test=10000x2261
ylecun/mnist mnist image:28x28,label:0/1/2/3/4/5/6/7/8/9 train=60000x291 test=10000x292
zalando-datasets/fashion_mnist fashion_mnist image:28x28,label:10 train=60000x522 test=10000x523
AI-Lab-Makerere/beans default \
image_file_path:id,image:500x500x3,labels:angular_leaf_spot/bean_rust/healthy train=1034x370 \
validation=133x374 test=128x364
ethz/food101 default image:512x512x3,label:101 train=75750x50770 validation=25250x50545
stanfordnlp/sst2 default idx:int32,sentence,label:negative/positive train=67349x70 \
validation=872x122 test=1821x119
fancyzhx/dbpedia_14 dbpedia_14 label:14,title,content*9 train=560000x319 test=70000x319
cardiffnlp/tweet_eval sentiment text,label:negative/neutral/positive train=45615x119 \
test=12284x104 validation=2000x120
cardiffnlp/tweet_eval emotion text,label:anger/joy/optimism/sadness train=3257x104 test=1421x103 \
validation=374x102
cardiffnlp/tweet_eval hate text,label:non-hate/hate train=9000x136 test=2970x144 \
validation=1000x154
cardiffnlp/tweet_eval irony text,label:non_irony/irony train=2862x91 test=784x97 \
validation=955x90
cardiffnlp/tweet_eval offensive text,label:non-offensive/offensive train=11916x138 test=860x158 \
validation=1324x145
microsoft/cats_vs_dogs default image:500x375x3,labels:cat/dog train=23422x166
EdinburghNLP/xsum default document*14,summary,id:id train=204045x2349 validation=11332x2320 \
test=11334x2361
FiscalNote/billsum default text,summary,title ca_test=1237x12082 test=3269x11584 \
train=18949x11589
CogComp/trec default label-coarse:DESC/ENTY/ABBR/HUM/NUM/LOC,label-fine:47,text train=5452x71 \
test=500x56
stanfordnlp/snli plain_text premise,hypothesis,label:entailment/neutral/contradiction \
test=10000x126 train=550152x120 validation=10000x127
allenai/swag regular \
video-id:id,fold-ind:id,startphrase,sent1,sent2,gold-source:id,\
ending0,ending1,ending2,ending3,label:0/1/2/3 \
train=73546x412 validation=20006x422 test=20005x421
takala/financial_phrasebank sentences_allagree sentence,label:negative/neutral/positive \
train=2264x134
PolyAI/banking77 default text,label:77 train=10003x71 test=3080x66
google/boolq default question,answer:bool,passage*10 train=9427x618 validation=3270x611
openai/gsm8k main question,answer train=7473x530 test=1319x541
ucirvine/sms_spam plain_text sms,label:ham/spam train=5574x94
google-research-datasets/go_emotions simplified text,labels[]*0:28,id:id train=43410x97 \
validation=5426x97 test=5427x97
leondz/wnut_17 wnut_17 id:id,tokens[],ner_tags[]:13 train=3394x318 validation=1009x257 \
test=1287x315
wmt/wmt16 de-en translation:de-en train=4548885x302 validation=2169x241 test=2999x245
"""


class Table(NamedTuple):
    """One configuration of a data set: columns as in its line, and rows and bytes by part."""

    columns: list[str]
    parts: dict[str, tuple[int, int]]


def table_of(name: str, config: str | None) -> Table | None:
    """Return what is known of a data set: its first configuration where none is asked for."""
    for line in _KNOWN.strip().splitlines():
        full, its_config, columns, *parts = line.split()
        if name in {full, full.partition("/")[2]} and config in {None, "default", its_config}:
            sizes = [each.replace("=", "x").split("x") for each in parts]
            return Table(
                columns.split(","), {part: (int(rows), int(size)) for part, rows, size in sizes}
            )
    return None
