/* The account of the cards' memory: contexts, this process and all others. */
#define _GNU_SOURCE
#include "runtime.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int context_pid; /* the process that made contexts; a forked child is another */

/* The program that CUDA_RUNTIME_OUTSIDE speaks of has the first id of all: it is always there. */
enum { OUTSIDE_PID = 1, MOST_PROCESSES = 64 };

typedef struct {
    int pid;
    uint64_t bytes[MOST_CARDS];
} Slot;

static Slot *slots; /* shared by the processes of a test; NULL where they share nothing */
static Slot *own;

void share_account(void) {
    const char *path = getenv("CUDA_RUNTIME_SHARE");
    size_t size = MOST_PROCESSES * sizeof(Slot);
    int file = path != NULL ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (file < 0) return;
    if (ftruncate(file, (off_t)size) == 0) {
        void *found = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        slots = found != MAP_FAILED ? found : NULL;
    }
    close(file);
}

static int is_gone(int pid) { return kill(pid, 0) != 0; }

/* A slot of our own: a free one, or that of a process which has ended. */
static void take_slot(void) {
    for (int i = 0; i < MOST_PROCESSES && own == NULL; i++) {
        int before = slots[i].pid;
        if (before != 0 && !is_gone(before)) continue;
        if (__sync_bool_compare_and_swap(&slots[i].pid, before, getpid())) own = &slots[i];
    }
}

static uint64_t used_here(const Card *card) {
    return card->used + (card->has_context ? card->context_bytes : 0);
}

static void publish(void) {
    if (slots == NULL) return;
    if (own == NULL) take_slot();
    for (int i = 0; own != NULL && i < entry_count; i++) own->bytes[i] = used_here(&cards[i]);
}

uint64_t others(const Card *card, Other *to, int room, int *found) {
    uint64_t sum = card->outside;
    int index = (int)(card - cards);
    *found = 0;
    if (card->outside != 0 && (*found)++ < room) to[0] = (Other){OUTSIDE_PID, card->outside};
    for (int i = 0; slots != NULL && i < MOST_PROCESSES; i++) {
        Slot *slot = &slots[i];
        uint64_t bytes = slot->bytes[index];
        if (slot->pid == 0 || slot->pid == getpid() || bytes == 0 || is_gone(slot->pid)) continue;
        sum += bytes;
        if (*found < room) to[*found] = (Other){(unsigned)slot->pid, bytes};
        (*found)++;
    }
    return sum;
}

static uint64_t used_by_all(const Card *card) {
    int found;
    return used_here(card) + others(card, NULL, 0, &found);
}

uint64_t free_bytes(const Card *card) {
    uint64_t used = used_by_all(card);
    for (int i = 0; i < card->instance_count; i++) used += used_by_all(&card->instances[i]);
    return used < card->capacity ? card->capacity - used : 0;
}

int take(Card *card, uint64_t bytes) {
    pthread_mutex_lock(&lock);
    int fits = bytes <= free_bytes(card);
    if (fits) card->used += bytes;
    publish();
    pthread_mutex_unlock(&lock);
    return fits ? OK : OUT_OF_MEMORY;
}

void give_back(Card *card, uint64_t bytes) {
    pthread_mutex_lock(&lock);
    card->used -= bytes;
    publish();
    pthread_mutex_unlock(&lock);
}

static int make_context(Card *card) {
    int status = failure_of("context");
    pthread_mutex_lock(&lock);
    if (status == OK && card->context_bytes > free_bytes(card)) status = OUT_OF_MEMORY;
    if (status == OK && !card->has_context) {
        write_down("context", "gpu=%d", (int)(card - cards));
        context_pid = getpid();
        card->has_context = 1;
        publish();
    }
    pthread_mutex_unlock(&lock);
    return status;
}

int use(int index) {
    Card *card = card_at(index);
    if (visible_count == 0) return NO_DEVICE;
    if (card == NULL) return INVALID_DEVICE;
    if (context_pid != 0 && context_pid != getpid()) return NOT_INITIALISED;
    if (sticky_error() != OK) return sticky_error();
    if (card->has_context) return OK;
    return make_context(card);
}

/* --- Asked by tests, through ctypes ----------------------------------------------------------- */

void stub_outside(int card, uint64_t bytes) {
    prepare();
    cards[card].outside = bytes;
}
