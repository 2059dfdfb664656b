/* The runtime API's memory: sizes are accounted for, copies and memsets are real. */
#include "runtime.h"

#include <string.h>

/* The driver hands out its memory in pages of 2 MiB. */
static uint64_t paged(uint64_t bytes) { return (bytes + 2 * MIB - 1) / (2 * MIB) * (2 * MIB); }

int cudaMalloc(void **at, size_t bytes) {
    *at = NULL;
    int status = ready();
    if (status == OK) status = failure_of("malloc");
    if (status == OK && bytes != 0) {
        status = take(card_at(current), paged(bytes));
        if (status == OK) *at = make_block(bytes, current, ON_CARD, NULL);
    }
    CALLED("device=%d bytes=%zu status=%d", current, bytes, status);
    return done(status);
}

int cudaMallocManaged(void **at, size_t bytes, unsigned flags) { return cudaMalloc(at, bytes); }

int cudaMemGetInfo(size_t *free, size_t *total) {
    CALLED("device=%d", current);
    int status = ready();
    if (status != OK) return status;
    *free = free_bytes(card_at(current));
    *total = card_at(current)->capacity;
    return OK;
}

/* --- Pools: what is freed stays in the pool until it is trimmed ------------------------------- */

typedef struct {
    uint64_t used, most_used, reserved, most_reserved;
} Pool;

static Pool pools[MOST_CARDS]; /* the default one of each card, as CUDA counts */

static uint64_t in_pool(uint64_t bytes) { return (bytes + 511) / 512 * 512; }

static int take_from_pool(Pool *pool, uint64_t bytes) {
    uint64_t wanted = pool->used + bytes;
    if (wanted > pool->reserved) {
        uint64_t more = paged(wanted - pool->reserved);
        int status = take(card_at((int)(pool - pools)), more);
        if (status != OK) return status;
        pool->reserved += more;
    }
    pool->used = wanted;
    if (pool->used > pool->most_used) pool->most_used = pool->used;
    if (pool->reserved > pool->most_reserved) pool->most_reserved = pool->reserved;
    return OK;
}

int cudaMallocAsync(void **at, size_t bytes, void *stream) {
    *at = NULL;
    Pool *pool = &pools[current];
    int status = ready();
    if (status == OK) status = failure_of("malloc");
    if (status == OK) status = take_from_pool(pool, in_pool(bytes));
    if (status == OK) *at = make_block(in_pool(bytes), current, ON_CARD, pool);
    CALLED("device=%d bytes=%zu status=%d", current, bytes, status);
    return done(status);
}

int cudaDeviceGetDefaultMemPool(void **pool, int device) {
    CALLED("device=%d", device);
    *pool = &pools[device];
    return ready();
}

enum { RESERVED_NOW = 5, MOST_RESERVED = 6, USED_NOW = 7, MOST_USED = 8 }; /* cudaMemPoolAttr */

int cudaMemPoolGetAttribute(Pool *pool, int which, uint64_t *value) {
    COUNTED;
    switch (which) {
    case RESERVED_NOW: *value = pool->reserved; break;
    case MOST_RESERVED: *value = pool->most_reserved; break;
    case USED_NOW: *value = pool->used; break;
    case MOST_USED: *value = pool->most_used; break;
    default: *(int *)value = 1; /* whether the pool may use what is freed on other streams */
    }
    return OK;
}

/* A peak can only be set to 0: it begins anew from what there is. */
int cudaMemPoolSetAttribute(Pool *pool, int which, const void *value) {
    COUNTED;
    if (which == MOST_RESERVED) pool->most_reserved = pool->reserved;
    if (which == MOST_USED) pool->most_used = pool->used;
    return OK;
}

int cudaMemPoolTrimTo(Pool *pool, size_t keep) {
    CALLED("keep=%zu", keep);
    uint64_t kept = pool->used > keep ? pool->used : keep;
    if (paged(kept) < pool->reserved) {
        give_back(card_at((int)(pool - pools)), pool->reserved - paged(kept));
        pool->reserved = paged(kept);
    }
    return OK;
}

int cudaMemPoolSetAccess(void *pool, const void *list, size_t length) {
    COUNTED;
    return OK;
}

/* --- Free, wherever it came from -------------------------------------------------------------- */

int cudaFree(void *at) {
    int status = ready();
    Block was = status == OK && at != NULL ? drop_block(at) : (Block){0};
    Pool *pool = was.owner;
    if (pool != NULL) pool->used -= was.size;
    else if (was.place == ON_CARD) give_back(card_at(was.index), paged(was.size));
    else if (status == OK && at != NULL) status = INVALID_VALUE;
    CALLED("device=%d bytes=%lu status=%d", was.index, (unsigned long)was.size, status);
    return done(status);
}

int cudaFreeAsync(void *at, void *stream) { return cudaFree(at); }

/* --- Pinned memory of the host ---------------------------------------------------------------- */

int cudaHostAlloc(void **at, size_t bytes, unsigned flags) {
    CALLED("bytes=%zu", bytes);
    int status = ready();
    if (status != OK) return status;
    *at = make_block(bytes, -1, ON_HOST, NULL);
    return *at != NULL ? OK : done(OUT_OF_MEMORY);
}

int cudaMallocHost(void **at, size_t bytes) { return cudaHostAlloc(at, bytes, 0); }

int cudaFreeHost(void *at) {
    NOTED;
    return at == NULL || drop_block(at).place == ON_HOST ? OK : done(INVALID_VALUE);
}

int cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
    COUNTED;
    *device = host;
    return OK;
}

typedef struct {
    int place, index;
    const void *on_card, *on_host;
    long reserved[8]; /* since CUDA 13 */
} Attributes;

int cudaPointerGetAttributes(Attributes *to, const void *at) {
    COUNTED;
    Block found = block_of(at);
    memset(to, 0, CUDA_VERSION >= 13000 ? sizeof *to : offsetof(Attributes, reserved));
    to->place = (int)found.place;
    to->index = found.place == ON_CARD ? found.index : found.place == ON_HOST ? 0 : -2;
    to->on_card = found.place != NOWHERE ? at : NULL;
    to->on_host = found.place == ON_HOST ? at : NULL;
    return done(driver());
}

/* --- Copies: done when the call returns ------------------------------------------------------- */

int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream) {
    COUNTED;
    int status = ready();
    if (status == OK) copy_bytes(to, from, bytes);
    return status;
}

int cudaMemcpy(void *to, const void *from, size_t bytes, int kind) {
    return cudaMemcpyAsync(to, from, bytes, kind, NULL);
}

int cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                        void *stream) {
    return cudaMemcpyAsync(to, from, bytes, 3, stream);
}

int cudaMemcpy2DAsync(char *to, size_t to_pitch, const char *from, size_t from_pitch, size_t width,
                      size_t height, int kind, void *stream) {
    COUNTED;
    int status = ready();
    for (size_t row = 0; status == OK && row < height; row++) {
        copy_bytes(to + row * to_pitch, from + row * from_pitch, width);
    }
    return status;
}

int cudaMemsetAsync(void *to, int value, size_t bytes, void *stream) {
    COUNTED;
    int status = ready();
    if (status == OK) set_bytes(to, value, bytes);
    return status;
}

int cudaMemset(void *to, int value, size_t bytes) {
    return cudaMemsetAsync(to, value, bytes, NULL);
}

/* --- Sharing memory between processes is not played ------------------------------------------- */

int cudaIpcGetMemHandle(void *handle, void *at) {
    CALLED("refused");
    return done(NOT_SUPPORTED);
}

int cudaIpcOpenMemHandle(void **at, ...) {
    CALLED("refused");
    return done(NOT_SUPPORTED);
}

int cudaIpcGetEventHandle(void *handle, void *event) {
    CALLED("refused");
    return done(NOT_SUPPORTED);
}
