/* The driver API, as far as PyTorch and the helper ask it. */
#include "runtime.h"

#include <stdio.h>
#include <string.h>

static int initialised;
static char a_module[16];

int cuInit(unsigned flags) {
    NOTED;
    prepare();
    if (visible_count == 0) return NO_DEVICE;
    initialised = 1;
    return OK;
}

int cuDriverGetVersion(int *version) {
    COUNTED;
    *version = CUDA_VERSION;
    return OK;
}

/* --- Devices ---------------------------------------------------------------------------------- */

int cuDeviceGetCount(int *length) {
    NOTED;
    prepare();
    *length = visible_count;
    return OK;
}

int cuDeviceGet(int *device, int index) {
    CALLED("device=%d", index);
    *device = index;
    return card_at(index) != NULL ? OK : INVALID_DEVICE;
}

int cuDeviceGetAttribute(int *value, int which, int index) {
    CALLED("%d device=%d", which, index);
    const Card *card = card_at(index);
    *value = card != NULL ? attribute(card, which) : 0;
    return card != NULL ? OK : INVALID_DEVICE;
}

int cuDeviceGetName(char *text, int size, int index) {
    CALLED("device=%d", index);
    const Card *card = card_at(index);
    if (card != NULL) snprintf(text, (size_t)size, "%s", card->name);
    return card != NULL ? OK : INVALID_DEVICE;
}

int cuDeviceGetUuid_v2(void *uuid, int index) {
    CALLED("device=%d", index);
    const Card *card = card_at(index);
    if (card != NULL) memcpy(uuid, card->uuid, sizeof card->uuid);
    return card != NULL ? OK : INVALID_DEVICE;
}

int cuDeviceGetUuid(void *uuid, int index) { return cuDeviceGetUuid_v2(uuid, index); }

int cuDeviceTotalMem_v2(size_t *bytes, int index) {
    CALLED("device=%d", index);
    const Card *card = card_at(index);
    *bytes = card != NULL ? card->capacity : 0;
    return card != NULL ? OK : INVALID_DEVICE;
}

/* --- Contexts: to ask for the state of one makes none ----------------------------------------- */

int cuDevicePrimaryCtxGetState(int index, unsigned *flags, int *active) {
    CALLED("device=%d", index);
    if (!initialised) return NOT_INITIALISED;
    const Card *card = card_at(index);
    if (card == NULL) return INVALID_DEVICE;
    *flags = 0;
    *active = card->has_context;
    return OK;
}

int cuDevicePrimaryCtxRetain(void **context, int index) {
    CALLED("device=%d", index);
    *context = card_at(index);
    return use(index);
}

int cuDevicePrimaryCtxRelease_v2(int index) {
    CALLED("device=%d", index);
    return OK;
}

int cuCtxGetCurrent(void **context) {
    COUNTED;
    Card *card = card_at(current);
    *context = card != NULL && card->has_context ? card : NULL;
    return OK;
}

int cuCtxSetCurrent(void *context) {
    COUNTED;
    for (int i = 0; i < visible_count; i++) {
        if (card_at(i) == context) current = i;
    }
    return OK;
}

int cuCtxGetDevice(int *index) {
    COUNTED;
    *index = current;
    return OK;
}

/* --- Memory ----------------------------------------------------------------------------------- */

int cuMemGetInfo_v2(size_t *free, size_t *total) {
    CALLED("device=%d", current);
    int status = use(current);
    if (status != OK) return status;
    *free = free_bytes(card_at(current));
    *total = card_at(current)->capacity;
    return OK;
}

enum { MEMORY_TYPE = 2, DEVICE_ORDINAL = 9 }; /* CUpointer_attribute; the others are addresses */

int cuPointerGetAttribute(void *to, int which, const void *at) {
    COUNTED;
    Block found = block_of(at);
    if (found.place == NOWHERE) return INVALID_VALUE;
    if (which == DEVICE_ORDINAL) *(int *)to = found.index;
    else if (which == MEMORY_TYPE) *(int *)to = (int)found.place;
    else *(const void **)to = at;
    return OK;
}

int cuMemGetAddressRange_v2(void **base, size_t *size, const void *at) {
    COUNTED;
    Block found = block_of(at);
    *base = found.base;
    *size = found.size;
    return found.place != NOWHERE ? OK : INVALID_VALUE;
}

/* --- Modules, which compiled code loads ------------------------------------------------------- */

int cuModuleLoadData(void **module, const void *image) {
    NOTED;
    *module = a_module;
    return OK;
}

int cuModuleLoadDataEx(void **module, const void *image, ...) {
    return cuModuleLoadData(module, image);
}

int cuModuleGetFunction(void **function, void *module, const char *name) {
    CALLED("%s", name);
    *function = a_module;
    return OK;
}

int cuFuncGetAttribute(int *value, int which, void *function) {
    COUNTED;
    *value = 0;
    return OK;
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int size,
                                                size_t shared) {
    COUNTED;
    *blocks = 2;
    return OK;
}
