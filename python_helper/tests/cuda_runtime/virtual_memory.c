/* The driver's virtual memory, which expandable segments are made of: physical memory is taken from
   the card by a handle, and addresses are mapped onto it. */
#define _GNU_SOURCE
#include "runtime.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

typedef struct {
    int index, is_released;
    int mapped; /* how often */
    uint64_t size;
} Physical;

typedef struct {
    char *at;
    Physical *what;
} Mapping;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Mapping *mappings;
static int count_of_mappings, room_for_mappings;

int cuMemGetAllocationGranularity(size_t *size, const void *properties, int option) {
    COUNTED;
    *size = 2 * MIB;
    return OK;
}

/* --- Physical memory: it goes when its handle is released and nothing is mapped onto it ------- */

typedef struct {
    int type, handles;
    struct {
        int type, id;
    } location;
} Properties; /* how CUmemAllocationProp begins */

int cuMemCreate(Physical **handle, size_t size, const Properties *properties,
                unsigned long long flags) {
    int index = properties->location.id;
    int status = use(index);
    if (status == OK) status = failure_of("malloc");
    if (status == OK) status = take(card_at(index), size);
    CALLED("device=%d bytes=%zu status=%d", index, size, status);
    if (status != OK) return status;
    *handle = calloc(1, sizeof **handle);
    (*handle)->index = index;
    (*handle)->size = size;
    return OK;
}

static void free_unused(Physical *physical) {
    if (physical->mapped > 0 || !physical->is_released) return;
    give_back(card_at(physical->index), physical->size);
    free(physical);
}

int cuMemRelease(Physical *handle) {
    CALLED("bytes=%lu", (unsigned long)handle->size);
    pthread_mutex_lock(&lock);
    handle->is_released = 1;
    free_unused(handle);
    pthread_mutex_unlock(&lock);
    return OK;
}

/* --- Addresses -------------------------------------------------------------------------------- */

int cuMemAddressReserve(void **at, size_t size, size_t alignment, void *wish,
                        unsigned long long flags) {
    CALLED("bytes=%zu", size);
    *at = make_block(size, current, ON_CARD, NULL);
    if (*at == NULL) return OUT_OF_MEMORY;
    return mprotect(*at, size, PROT_NONE) == 0 ? OK : OUT_OF_MEMORY;
}

int cuMemAddressFree(void *at, size_t size) {
    CALLED("bytes=%zu", size);
    return drop_block(at).place != NOWHERE ? OK : INVALID_VALUE;
}

int cuMemMap(char *at, size_t size, size_t offset, Physical *handle, unsigned long long flags) {
    COUNTED;
    pthread_mutex_lock(&lock);
    if (count_of_mappings == room_for_mappings) {
        room_for_mappings = 2 * room_for_mappings + 64;
        mappings = realloc(mappings, (size_t)room_for_mappings * sizeof *mappings);
    }
    mappings[count_of_mappings++] = (Mapping){at, handle};
    handle->mapped++;
    pthread_mutex_unlock(&lock);
    return OK;
}

int cuMemSetAccess(void *at, size_t size, const void *list, size_t length) {
    COUNTED;
    return mprotect(at, size, PROT_READ | PROT_WRITE) == 0 ? OK : INVALID_VALUE;
}

int cuMemUnmap(char *at, size_t size) {
    CALLED("bytes=%zu", size);
    madvise(at, size, MADV_DONTNEED);
    mprotect(at, size, PROT_NONE);
    pthread_mutex_lock(&lock);
    for (int i = count_of_mappings - 1; i >= 0; i--) {
        if (mappings[i].at < at || mappings[i].at >= at + size) continue;
        Physical *physical = mappings[i].what;
        mappings[i] = mappings[--count_of_mappings];
        physical->mapped--;
        free_unused(physical);
    }
    pthread_mutex_unlock(&lock);
    return OK;
}
