/* The runtime API's devices. Like the real library it opens the driver at its first call. */
#define _GNU_SOURCE
#include "runtime.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int driver_status = NO_DRIVER;

int cuInit(unsigned flags);

static void open_driver(void) {
    prepare();
    if (dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL) == NULL) return;
    cuInit(0);
    driver_status = OK;
}

int driver(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_driver);
    return driver_status;
}

int ready(void) {
    int status = driver();
    return done(status == OK ? use(current) : status);
}

/* A card by its index, and in `*status` why there is none. */
static Card *wanted(int index, int *status) {
    *status = driver();
    Card *card = *status == OK ? card_at(index) : NULL;
    if (*status == OK && card == NULL) *status = INVALID_DEVICE;
    done(*status);
    return card;
}

int cudaGetDeviceCount(int *count) {
    NOTED;
    int status = driver();
    *count = status == OK ? visible_count : 0;
    if (status == OK && visible_count == 0) status = NO_DEVICE;
    return done(status);
}

int cudaGetDevice(int *device) {
    COUNTED;
    *device = current;
    return done(driver());
}

/* Since CUDA 12 to choose a device is to make its context. */
int cudaSetDevice(int device) {
    COUNTED;
    int status;
    if (wanted(device, &status) == NULL) return status;
    current = device;
    return CUDA_VERSION >= 12000 ? ready() : OK;
}

int cudaDeviceGetAttribute(int *value, int which, int device) {
    CALLED("%d device=%d", which, device);
    int status;
    Card *card = wanted(device, &status);
    if (card != NULL) *value = attribute(card, which);
    return status;
}

int cudaDeviceGetPCIBusId(char *text, int size, int device) {
    CALLED("device=%d", device);
    int status;
    Card *card = wanted(device, &status);
    if (card != NULL) snprintf(text, (size_t)size, "%s", card->bus);
    return status;
}

int cudaDeviceSynchronize(void) {
    CALLED("device=%d", current);
    return ready();
}

int cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    NOTED;
    *least = 0;
    *greatest = -5;
    return ready();
}

int cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    CALLED("device=%d peer=%d", device, peer);
    const char *peers = getenv("CUDA_RUNTIME_PEERS");
    *can = device != peer && (peers == NULL || atoi(peers) != 0);
    return done(driver());
}

int cudaDriverGetVersion(int *version) {
    NOTED;
    *version = driver() == OK ? CUDA_VERSION : 0;
    return OK;
}

int cudaRuntimeGetVersion(int *version) {
    COUNTED;
    *version = CUDA_VERSION;
    return OK;
}

/* --- cudaDeviceProp: where its members lie, up to CUDA 12 and from 13 on ---------------------- */

static const struct {
    int attribute, old_offset, new_offset;
} members[] = {
    {12, 304, 304},  /* regsPerBlock */
    {10, 308, 308},  /* warpSize */
    {1, 320, 320},   /* maxThreadsPerBlock */
    {2, 324, 324},   /* maxThreadsDim */
    {3, 328, 328},
    {4, 332, 332},
    {5, 336, 336},   /* maxGridSize */
    {6, 340, 340},
    {7, 344, 344},
    {75, 360, 360},  /* major */
    {76, 364, 364},  /* minor */
    {16, 388, 384},  /* multiProcessorCount */
    {19, 400, 392},  /* canMapHostMemory */
    {31, 576, 560},  /* concurrentKernels */
    {33, 584, 568},  /* pciBusID */
    {41, 604, 588},  /* unifiedAddressing */
    {38, 616, 596},  /* l2CacheSize */
    {39, 624, 604},  /* maxThreadsPerMultiProcessor */
    {78, 628, 608},  /* streamPrioritiesSupported */
    {81, 640, 624},  /* sharedMemPerMultiprocessor */
    {82, 648, 632},  /* regsPerMultiprocessor */
    {83, 652, 636},  /* managedMemory */
    {95, 688, 668},  /* cooperativeLaunch */
    {97, 696, 672},  /* sharedMemPerBlockOptin */
    {106, 712, 688}, /* maxBlocksPerMultiProcessor */
};

static int write_properties(char *to, int device, size_t size) {
    int status;
    Card *card = wanted(device, &status);
    if (card == NULL) return status;
    memset(to, 0, size);
    strcpy(to, card->name);
    memcpy(to + 256, card->uuid, sizeof card->uuid);
    *(size_t *)(to + 288) = card->capacity;
    *(size_t *)(to + 296) = (size_t)attribute(card, 8); /* sharedMemPerBlock */
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        int offset = CUDA_VERSION >= 13000 ? members[i].new_offset : members[i].old_offset;
        *(int *)(to + offset) = attribute(card, members[i].attribute);
    }
    return OK;
}

/* The structure grew with CUDA 12, under a second name; with 13 the first name took its place. */
int cudaGetDeviceProperties(void *to, int device) {
    CALLED("device=%d", device);
    return write_properties(to, device, CUDA_VERSION >= 13000 ? 1008 : 728);
}

int cudaGetDeviceProperties_v2(void *to, int device) {
    CALLED("device=%d", device);
    return write_properties(to, device, 1032);
}
