/* NVML: the driver's view of all cards, whatever CUDA_VISIBLE_DEVICES hides; makes no context. */
#define _GNU_SOURCE
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    NVML_INVALID_ARGUMENT = 2,
    NVML_NOT_SUPPORTED = 3,
    NVML_NOT_FOUND = 6,
    NVML_TOO_SMALL = 7,
    NVML_DRIVER_NOT_LOADED = 9,
    NVML_FUNCTION_NOT_FOUND = 13,
};

/* CUDA_RUNTIME_NVML=old plays a driver of before 510. */
static int is_old(void) {
    const char *found = getenv("CUDA_RUNTIME_NVML");
    return found != NULL && strcmp(found, "old") == 0;
}

int nvmlInit_v2(void) {
    NOTED;
    prepare();
    return card_count > 0 ? OK : NVML_DRIVER_NOT_LOADED;
}

int nvmlInit(void) { return nvmlInit_v2(); }
int nvmlInitWithFlags(unsigned flags) { return nvmlInit_v2(); }

int nvmlShutdown(void) {
    NOTED;
    return OK;
}

const char *nvmlErrorString(int status) { return status == OK ? "Success" : "Not Supported"; }

int nvmlSystemGetDriverVersion(char *text, unsigned size) {
    NOTED;
    snprintf(text, size, "580.00.stub");
    return OK;
}

int nvmlSystemGetCudaDriverVersion_v2(int *version) {
    NOTED;
    *version = CUDA_VERSION;
    return OK;
}

/* --- Cards ------------------------------------------------------------------------------------ */

int nvmlDeviceGetCount_v2(unsigned *length) {
    NOTED;
    prepare();
    *length = (unsigned)card_count;
    return OK;
}

static int handle_of(Card *card, Card **handle) {
    *handle = card;
    return card != NULL ? OK : NVML_NOT_FOUND;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, Card **handle) {
    CALLED("%u", index);
    prepare();
    return (int)index < card_count ? handle_of(&cards[index], handle) : NVML_INVALID_ARGUMENT;
}

int nvmlDeviceGetHandleByUUID(const char *uuid, Card **handle) {
    CALLED("%s", uuid);
    prepare();
    Card *found = NULL;
    for (int i = 0; i < entry_count; i++) {
        if (strcmp(cards[i].uuid_text, uuid) == 0) found = &cards[i];
    }
    return handle_of(found, handle);
}

/* Callers write the domain with four digits or with eight. */
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, Card **handle) {
    CALLED("%s", bus);
    prepare();
    Card *found = NULL;
    for (int i = 0; i < card_count; i++) {
        if (strcasestr(bus, strchr(cards[i].bus, ':')) != NULL) found = &cards[i];
    }
    return handle_of(found, handle);
}

int nvmlDeviceGetIndex(const Card *card, unsigned *index) {
    NOTED;
    *index = (unsigned)(card - cards);
    return OK;
}

int nvmlDeviceGetUUID(const Card *card, char *text, unsigned size) {
    NOTED;
    snprintf(text, size, "%s", card->uuid_text);
    return OK;
}

int nvmlDeviceGetName(const Card *card, char *text, unsigned size) {
    NOTED;
    snprintf(text, size, "%s", card->name);
    return OK;
}

/* --- Memory ----------------------------------------------------------------------------------- */

typedef struct {
    unsigned long long total, free, used;
} Memory;

typedef struct {
    unsigned version;
    unsigned long long total, reserved, free, used;
} MemoryV2;

/* The first call counts what the driver keeps for itself as used, the second one beside it. */
int nvmlDeviceGetMemoryInfo(const Card *card, Memory *to) {
    NOTED;
    to->total = card->capacity + card->reserved;
    to->free = free_bytes(card);
    to->used = to->total - to->free;
    return OK;
}

int nvmlDeviceGetMemoryInfo_v2(const Card *card, MemoryV2 *to) {
    NOTED;
    if (is_old()) return NVML_FUNCTION_NOT_FOUND;
    to->total = card->capacity + card->reserved;
    to->reserved = card->reserved;
    to->free = free_bytes(card);
    to->used = card->capacity - to->free;
    return OK;
}

/* --- Programs --------------------------------------------------------------------------------- */

enum { ENTRY = 24, OLD_ENTRY = 16, MOST_LISTED = 64 }; /* nvmlProcessInfo_t */

static int list_programs(const Card *card, unsigned *length, char *to, size_t size) {
    Other found[MOST_LISTED + 1];
    int count_of_others, written = 0;
    if (card->has_context) {
        found[written++] = (Other){(unsigned)getpid(), card->used + card->context_bytes};
    }
    others(card, found + written, MOST_LISTED, &count_of_others);
    written += count_of_others < MOST_LISTED ? count_of_others : MOST_LISTED;
    unsigned room = *length;
    *length = (unsigned)written;
    if ((unsigned)written > room) return NVML_TOO_SMALL;
    for (int i = 0; i < written; i++, to += size) {
        memset(to, 0xff, size); /* not available */
        memcpy(to, &found[i].pid, sizeof found[i].pid);
        /* Of an instance the driver does not tell what each program uses. */
        if (card < &cards[card_count]) memcpy(to + 8, &found[i].bytes, sizeof found[i].bytes);
    }
    return OK;
}

int nvmlDeviceGetComputeRunningProcesses(const Card *card, unsigned *length, char *to) {
    NOTED;
    return list_programs(card, length, to, OLD_ENTRY);
}

int nvmlDeviceGetComputeRunningProcesses_v2(const Card *card, unsigned *length, char *to) {
    NOTED;
    return list_programs(card, length, to, ENTRY);
}

int nvmlDeviceGetComputeRunningProcesses_v3(const Card *card, unsigned *length, char *to) {
    NOTED;
    return list_programs(card, length, to, ENTRY);
}

static int none(unsigned *length) {
    *length = 0;
    return OK;
}

int nvmlDeviceGetGraphicsRunningProcesses(const Card *card, unsigned *length, char *to) {
    NOTED;
    return none(length);
}

int nvmlDeviceGetGraphicsRunningProcesses_v2(const Card *card, unsigned *length, char *to) {
    NOTED;
    return none(length);
}

int nvmlDeviceGetGraphicsRunningProcesses_v3(const Card *card, unsigned *length, char *to) {
    NOTED;
    return none(length);
}

int nvmlSystemGetProcessName(unsigned pid, char *text, unsigned size) {
    CALLED("%u", pid);
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/exe", pid);
    ssize_t length = readlink(path, text, size - 1);
    if (length < 0) return NVML_NOT_FOUND;
    text[length] = 0;
    return OK;
}

/* --- What PyTorch asks besides ---------------------------------------------------------------- */

int nvmlDeviceGetUtilizationRates(const Card *card, unsigned *of_card_and_memory) {
    NOTED;
    of_card_and_memory[0] = of_card_and_memory[1] = 0;
    return OK;
}

int nvmlDeviceGetTemperature(const Card *card, int sensor, unsigned *degrees) {
    NOTED;
    *degrees = 40;
    return OK;
}

int nvmlDeviceGetPowerUsage(const Card *card, unsigned *milliwatts) {
    NOTED;
    *milliwatts = 60000;
    return OK;
}

/* --- MIG -------------------------------------------------------------------------------------- */

int nvmlDeviceGetMigMode(const Card *card, unsigned *now, unsigned *pending) {
    NOTED;
    *now = *pending = card->instance_count > 0;
    return OK;
}

int nvmlDeviceGetMaxMigDeviceCount(const Card *card, unsigned *length) {
    NOTED;
    *length = MOST_CARDS; /* as the driver does: how many there could be */
    return OK;
}

int nvmlDeviceGetMigDeviceHandleByIndex(const Card *card, unsigned index, Card **handle) {
    CALLED("%u", index);
    Card *found = (int)index < card->instance_count ? &card->instances[index] : NULL;
    return handle_of(found, handle);
}

int nvmlDeviceGetP2PStatus(const Card *one, const Card *other, int which, int *status) {
    NOTED;
    *status = 0;
    return OK;
}

/* Asked for where segments expand, from PyTorch 2.13 on: these cards are on no fabric of NVLink. */
typedef struct {
    unsigned version;
    unsigned char cluster[16];
    int status;
    unsigned clique;
    unsigned char state;
} Fabric;

int nvmlDeviceGetGpuFabricInfoV(const Card *card, Fabric *to) {
    NOTED;
    to->state = 0; /* not supported */
    return OK;
}

/* What dashboards ask for beside memory: these cards are on a bus that carries nothing. */
int nvmlDeviceGetNvLinkVersion(const Card *card, unsigned link, unsigned *version) {
    NOTED;
    return NVML_NOT_SUPPORTED;
}

int nvmlDeviceGetMaxPcieLinkGeneration(const Card *card, unsigned *generation) {
    NOTED;
    *generation = 1;
    return OK;
}

int nvmlDeviceGetPcieThroughput(const Card *card, int way, unsigned *kilobytes) {
    NOTED;
    *kilobytes = 0;
    return OK;
}
