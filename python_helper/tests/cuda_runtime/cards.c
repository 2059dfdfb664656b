/* The cards of the machine, as environment variables describe them (README.md lists these). */
#include "runtime.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Card cards[MOST_CARDS];
int card_count;
int entry_count;
int visible_count;
__thread int current;

static int visible[MOST_CARDS]; /* by the index that CUDA counts: which of the cards */

static const char *setting(const char *name, const char *otherwise) {
    const char *found = getenv(name);
    return found != NULL ? found : otherwise;
}

/* "1.5 GiB", "600MiB" or a number of bytes. */
static uint64_t bytes_of(const char *text) {
    char *unit;
    double number = strtod(text, &unit);
    unit += strspn(unit, " ");
    uint64_t factor = *unit == 'G' ? 1024 * MIB : *unit == 'M' ? MIB : *unit == 'K' ? 1024 : 1;
    return (uint64_t)(number * (double)factor);
}

/* The entry of a list with commas; what has fewer entries repeats its first. */
static const char *entry(const char *list, int index, char *to, size_t size) {
    const char *begin = list;
    for (; index > 0 && begin != NULL; index--) {
        begin = strchr(begin, ',');
        begin = begin != NULL ? begin + 1 : NULL;
    }
    begin = begin != NULL ? begin : list;
    snprintf(to, size, "%.*s", (int)strcspn(begin, ","), begin);
    return to;
}

static int length(const char *list) {
    int commas = 0;
    for (const char *each = list; *each != 0; each++) commas += *each == ',';
    return *list == 0 ? 0 : commas + 1;
}

/* The same each time, and different for each card. */
static void identify(Card *card, int number, const char *prefix) {
    for (int i = 0; i < 16; i++) card->uuid[i] = (unsigned char)(17 * i + 31 * number + 5);
    char *to = card->uuid_text + sprintf(card->uuid_text, "%s", prefix);
    for (int i = 0; i < 16; i++) {
        int dash = i == 4 || i == 6 || i == 8 || i == 10;
        to += sprintf(to, dash ? "-%02x" : "%02x", card->uuid[i]);
    }
    sprintf(card->bus, "0000:%02X:00.0", 4 + number);
}

static void read_cards(void) {
    const char *sizes = setting("CUDA_RUNTIME_DEVICES", "16GiB");
    char text[128];
    card_count = length(sizes) < MOST_CARDS ? length(sizes) : MOST_CARDS;
    for (int i = 0; i < card_count; i++) {
        Card *card = &cards[i];
        identify(card, i, "GPU-");
        card->capacity = bytes_of(entry(sizes, i, text, sizeof text));
        entry(setting("CUDA_RUNTIME_NAMES", "Stub A100"), i, card->name, sizeof card->name);
        entry(setting("CUDA_RUNTIME_CAPABILITIES", "8.0"), i, text, sizeof text);
        sscanf(text, "%d.%d", &card->major, &card->minor);
        entry(setting("CUDA_RUNTIME_OUTSIDE", "0"), i, text, sizeof text);
        card->outside = bytes_of(text);
        card->reserved = bytes_of(setting("CUDA_RUNTIME_RESERVED", "600MiB"));
        card->context_bytes = bytes_of(setting("CUDA_RUNTIME_CONTEXT", "420MiB"));
    }
}

/* Each has an equal share of its card, and its name says how much. */
static void split(Card *card, int parts) {
    card->instances = &cards[entry_count];
    for (; card->instance_count < parts && entry_count < MOST_CARDS; card->instance_count++) {
        Card *instance = &cards[entry_count];
        *instance = *card;
        instance->instances = NULL;
        instance->instance_count = 0;
        identify(instance, entry_count++, "MIG-");
        instance->capacity = card->capacity / (uint64_t)parts / MIB * MIB;
        instance->outside = instance->reserved = 0;
        snprintf(instance->name, sizeof instance->name, "%.64s MIG 1g.%dgb", card->name,
                 (int)(instance->capacity / (1024 * MIB)));
    }
}

static void read_instances(void) {
    const char *parts = setting("CUDA_RUNTIME_MIG", "0");
    char text[128];
    entry_count = card_count;
    for (int i = 0; i < card_count; i++) split(&cards[i], atoi(entry(parts, i, text, sizeof text)));
}

static int named(const char *text) {
    if (*text >= '0' && *text <= '9') return atoi(text) < card_count ? atoi(text) : -1;
    for (int i = 0; *text != 0 && i < entry_count; i++) {
        if (strncmp(cards[i].uuid_text, text, strlen(text)) == 0) return i;
    }
    return -1;
}

/* Of a card that is split, only its first instance can be used; of instances, only one by a process,
   and no whole card beside it (NVIDIA MIG User Guide, "CUDA Device Enumeration"). */
static void keep_one_instance(void) {
    for (int i = 0; i < visible_count; i++) {
        if (cards[visible[i]].instance_count > 0) {
            visible[i] = (int)(cards[visible[i]].instances - cards);
        }
        if (visible[i] < card_count) continue;
        visible[0] = visible[i];
        visible_count = 1;
    }
}

/* As CUDA reads it: by number or by what begins a UUID, up to the first that is not there. */
static void choose_visible(void) {
    const char *list = getenv("CUDA_VISIBLE_DEVICES");
    char text[128];
    int wanted = list != NULL ? length(list) : card_count;
    for (int i = 0; i < wanted && visible_count < MOST_CARDS; i++) {
        int found = list != NULL ? named(entry(list, i, text, sizeof text)) : i;
        if (found < 0) break;
        visible[visible_count++] = found;
    }
    keep_one_instance();
}

static void read_environment(void) {
    read_cards();
    read_instances();
    choose_visible();
    read_failures(setting("CUDA_RUNTIME_FAIL", ""));
    open_journal(getenv("CUDA_RUNTIME_LOG"));
    share_account();
}

void prepare(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_environment);
}

Card *card_at(int index) {
    prepare();
    return index >= 0 && index < visible_count ? &cards[visible[index]] : NULL;
}

/* A stub beside a driver would answer for a card that it does not know. */
__attribute__((constructor)) static void refuse_beside_a_driver(void) {
    static const char *const signs[] = {"/proc/driver/nvidia", "/dev/nvidia0"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (access(signs[i], F_OK) != 0) continue;
        fprintf(stderr,
                "The stub of the CUDA runtime is not for machines with a driver, and %s is here. "
                "Start without its folder in LD_LIBRARY_PATH.\n",
                signs[i]);
        _exit(78);
    }
}

/* --- Attributes ------------------------------------------------------------------------------- */

/* By the number of cudaDeviceAttr, those of an A100; what is not listed is 0. */
static const int attributes[] = {
    [1] = 1024,         /* threads per block */
    [2] = 1024,         /* x, y and z of a block */
    [3] = 1024,
    [4] = 64,
    [5] = 2147483647,   /* x, y and z of the grid */
    [6] = 65535,
    [7] = 65535,
    [8] = 49152,        /* shared memory per block */
    [9] = 65536,        /* constant memory */
    [10] = 32,          /* threads in a warp */
    [11] = 2147483647,  /* pitch */
    [12] = 65536,       /* registers per block */
    [13] = 1410000,     /* clock in kHz */
    [14] = 512,         /* alignment of textures */
    [19] = 1,           /* maps host memory */
    [31] = 1,           /* concurrent kernels */
    [36] = 1215000,     /* clock of the memory */
    [37] = 5120,        /* width of its bus */
    [38] = 40 << 20,    /* second-level cache */
    [39] = 2048,        /* threads per multiprocessor */
    [40] = 3,           /* copy engines */
    [41] = 1,           /* unified addressing */
    [78] = 1,           /* priorities of streams */
    [79] = 1,           /* caches of globals, and of locals */
    [80] = 1,
    [82] = 65536,       /* registers per multiprocessor */
    [83] = 1,           /* managed memory */
    [95] = 1,           /* cooperative launch */
    [102] = 1,          /* virtual memory, which expandable segments need */
    [103] = 1,          /* handles as file descriptors */
    [106] = 32,         /* blocks per multiprocessor */
    [111] = 1024,       /* reserved shared memory per block */
    [115] = 1,          /* memory pools */
};

int attribute(const Card *card, int which) {
    int hopper = card->major >= 9;
    switch (which) {
    case 16: return hopper ? 132 : 108;       /* multiprocessors */
    case 33: return 4 + (int)(card - cards);  /* number of the bus */
    case 75: return card->major;
    case 76: return card->minor;
    case 81: return hopper ? 233472 : 167936; /* shared memory per multiprocessor */
    case 97: return hopper ? 232448 : 166912; /* and the most of a block that asks for more */
    }
    int known = which >= 0 && which < (int)(sizeof attributes / sizeof *attributes);
    return known ? attributes[which] : 0;
}
