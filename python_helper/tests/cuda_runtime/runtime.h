/* What the files of the stub share. The API of CUDA is not declared here: its functions are found
   by name, and each stands in the file of its subject. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define MIB ((uint64_t)1 << 20)
#define MOST_CARDS 8

/* The version of CUDA that the wheel was built for, as cudaRuntimeGetVersion tells it. */
#ifndef CUDA_VERSION
#error "build.py says which CUDA the wheel was built for"
#endif

/* cudaError_t and CUresult have the same numbers for what is used here. */
enum {
    OK = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALISED = 3,
    NO_DRIVER = 35, /* cudaErrorInsufficientDriver; what follows it needs one */
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    NOT_FOUND = 500,
    ILLEGAL_ADDRESS = 700,
    NOT_SUPPORTED = 801,
};

/* --- Cards (cards.c): what the environment says there is -------------------------------------- */

typedef struct Card {
    char name[96];
    char uuid_text[48];
    char bus[16];
    unsigned char uuid[16];
    int major, minor;
    uint64_t capacity;      /* what programs can have of it */
    uint64_t reserved;      /* what the driver keeps for itself besides; only NVML counts it */
    uint64_t context_bytes; /* what a context of this process takes */
    uint64_t outside;       /* what a program that is not there uses */
    int has_context;
    uint64_t used;          /* by this process, without its context */
    struct Card *instances; /* those of MIG, which have its memory; they have none of their own */
    int instance_count;     /* 0 where MIG is off */
} Card;

extern Card cards[MOST_CARDS]; /* in the driver's order; instances of MIG come after all cards */
extern int card_count;         /* without instances */
extern int entry_count;        /* with them */
extern int visible_count;      /* how many CUDA_VISIBLE_DEVICES leaves */
extern __thread int current;   /* as CUDA counts, of this thread */

void prepare(void);            /* reads the environment, once; nothing else does */
Card *card_at(int index);      /* as CUDA counts; NULL where there is none */
int attribute(const Card *card, int which); /* of cudaDeviceAttr, which CUdevice_attribute equals */

/* --- The account (account.c): contexts, and who has how much ---------------------------------- */

int use(int index);            /* makes the context where there is none; a status */
int take(Card *card, uint64_t bytes);       /* OK or OUT_OF_MEMORY */
void give_back(Card *card, uint64_t bytes);
uint64_t free_bytes(const Card *card);

typedef struct {
    unsigned pid;
    uint64_t bytes;
} Other;

/* The other programs on a card, and in `*found` how many; no more than `room` are written. */
uint64_t others(const Card *card, Other *to, int room, int *found);
void share_account(void);      /* joins the file that the processes of one test share */

/* --- Addresses (blocks.c): host pages that nobody touches stand for the card's memory --------- */

typedef enum { NOWHERE = 0, ON_HOST = 1, ON_CARD = 2 } Place; /* as cudaMemoryType counts */

typedef struct {
    char *base;
    uint64_t size;
    int index;                 /* of its card, as CUDA counts; -1 on the host */
    Place place;
    void *owner;               /* the pool that counts it; NULL where the card's account does */
} Block;

void *make_block(uint64_t bytes, int index, Place place, void *owner);
Block drop_block(void *base);  /* its place is NOWHERE where no block begins there */
Block block_of(const void *inside);
void copy_bytes(void *to, const void *from, uint64_t bytes);
void set_bytes(void *to, int value, uint64_t bytes);

/* --- Failures on purpose (failures.c) --------------------------------------------------------- */

/* The status with which this call of a kind fails, or OK. */
int failure_of(const char *kind);
int sticky_error(void);        /* what every call says from now on, or OK */
void read_failures(const char *text);

/* --- The runtime API's ways of saying so (errors.c, devices.c) -------------------------------- */

int done(int status);          /* returns a status, and remembers it for cudaGetLastError */
int driver(void);              /* opens the driver at the first call; OK or NO_DRIVER */
int ready(void);               /* the current card has a context; a status, remembered */

/* --- Calls, counted and written down (journal.c) ---------------------------------------------- */

typedef struct Counter {
    const char *name;
    long calls;
    struct Counter *next;
} Counter;

void count_call(Counter *counter);
void write_down(const char *name, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void open_journal(const char *path);

/* First in a function of the API. What is called a million times is counted only. */
#define COUNTED                                   \
    static Counter counter = {__func__, 0, NULL}; \
    count_call(&counter)
#define NOTED \
    COUNTED;  \
    write_down(__func__, "%s", "")
#define CALLED(...) \
    COUNTED;        \
    write_down(__func__, __VA_ARGS__)
