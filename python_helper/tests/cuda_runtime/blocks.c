/* Addresses of cards and of pinned memory: host pages that cost nothing until they are written. */
#define _GNU_SOURCE
#include "runtime.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ARENA ((uint64_t)1 << 40) /* addresses that a card may hand out, and the host */
#define ALIGNMENT (2 * MIB)       /* as CUDA places what it hands out */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Block *blocks; /* in the order of their addresses */
static int count_of_blocks, room_for_blocks;
static char *arenas[MOST_CARDS + 1];

static uint64_t round_up(uint64_t number, uint64_t to) { return (number + to - 1) / to * to; }
static char *aligned(const char *at) { return (char *)round_up((uintptr_t)at, ALIGNMENT); }
static uint64_t page(void) { return (uint64_t)sysconf(_SC_PAGESIZE); }

static void *map(void *at, uint64_t size, int protection, int flags) {
    flags |= MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *found = mmap(at, size, protection, flags, -1, 0);
    return found != MAP_FAILED ? found : NULL;
}

/* The number of blocks that begin at an address or before it. */
static int position(const void *address) {
    int low = 0, high = count_of_blocks;
    while (low < high) {
        int middle = (low + high) / 2;
        if (blocks[middle].base <= (const char *)address) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The lowest gap of an arena: PyTorch's allocator breaks ties by address, and CUDA's ascend. */
static char *gap(int arena, uint64_t size) {
    if (arenas[arena] == NULL) {
        char *raw = map(NULL, ARENA, PROT_NONE, 0);
        if (raw == NULL) return NULL;
        arenas[arena] = aligned(raw);
    }
    char *at = arenas[arena], *end = at + ARENA - ALIGNMENT;
    for (int i = position(at - 1); i < count_of_blocks && blocks[i].base < end; i++) {
        if (at + size <= blocks[i].base) break;
        at = aligned(blocks[i].base + blocks[i].size);
    }
    return at + size <= end ? at : NULL;
}

static int make_room(void) {
    if (count_of_blocks < room_for_blocks) return 1;
    int wanted = 2 * room_for_blocks + 64;
    Block *more = realloc(blocks, (size_t)wanted * sizeof *blocks);
    if (more == NULL) return 0;
    blocks = more;
    room_for_blocks = wanted;
    return 1;
}

static void insert(Block block) {
    int at = position(block.base);
    memmove(blocks + at + 1, blocks + at, (size_t)(count_of_blocks - at) * sizeof *blocks);
    blocks[at] = block;
    count_of_blocks++;
}

void *make_block(uint64_t bytes, int index, Place place, void *owner) {
    uint64_t size = round_up(bytes, page());
    pthread_mutex_lock(&lock);
    char *base = make_room() ? gap(index + 1, size) : NULL;
    if (base != NULL) base = map(base, size, PROT_READ | PROT_WRITE, MAP_FIXED);
    if (base != NULL) insert((Block){base, size, index, place, owner});
    pthread_mutex_unlock(&lock);
    return base;
}

static Block found_at(int at, const void *inside) {
    int known = at >= 0 && (const char *)inside < blocks[at].base + blocks[at].size;
    return known ? blocks[at] : (Block){0};
}

Block block_of(const void *inside) {
    pthread_mutex_lock(&lock);
    Block found = found_at(position(inside) - 1, inside);
    pthread_mutex_unlock(&lock);
    return found;
}

Block drop_block(void *base) {
    pthread_mutex_lock(&lock);
    int at = position(base) - 1;
    Block found = found_at(at, base);
    if (found.base != base) found = (Block){0};
    if (found.place != NOWHERE) {
        count_of_blocks--;
        memmove(blocks + at, blocks + at + 1, (size_t)(count_of_blocks - at) * sizeof *blocks);
        map(found.base, found.size, PROT_NONE, MAP_FIXED);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* --- Bytes: zeros are given back to the host rather than written ------------------------------ */

static void set_zero_on_card(char *to, uint64_t bytes) {
    char *begin = (char *)round_up((uintptr_t)to, page());
    char *end = (char *)((uintptr_t)(to + bytes) / page() * page());
    if (begin >= end) {
        memset(to, 0, bytes);
        return;
    }
    memset(to, 0, (size_t)(begin - to));
    madvise(begin, (size_t)(end - begin), MADV_DONTNEED);
    memset(end, 0, (size_t)(to + bytes - end));
}

void set_bytes(void *to, int value, uint64_t bytes) {
    if ((value & 255) == 0 && block_of(to).place == ON_CARD) set_zero_on_card(to, bytes);
    else memset(to, value, bytes);
}

static int is_zero(const char *from, uint64_t bytes) {
    return bytes == 0 || (*from == 0 && memcmp(from, from + 1, bytes - 1) == 0);
}

/* What comes from a card may be pages that nobody ever wrote: they stay so where they go. */
void copy_bytes(void *to, const void *from, uint64_t bytes) {
    int lazy = bytes >= MIB && block_of(to).place == ON_CARD;
    uint64_t step = lazy ? MIB : bytes;
    for (uint64_t done = 0; done < bytes; done += step) {
        uint64_t size = bytes - done < step ? bytes - done : step;
        char *target = (char *)to + done;
        const char *source = (const char *)from + done;
        if (lazy && is_zero(source, size)) set_zero_on_card(target, size);
        else memmove(target, source, size);
    }
}
