/* Kernels compute nothing: a launch is counted, and may fail on purpose. */
#define _GNU_SOURCE
#include "runtime.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    unsigned x, y, z;
} Size;

static int launch(void) {
    int status = ready();
    if (status != OK) return status;
    int failure = failure_of("launch");
    return done(failure);
}

int cudaLaunchKernel(const void *kernel, Size grid, Size block, void **arguments, size_t shared,
                     void *stream) {
    COUNTED;
    return launch();
}

int cudaLaunchKernelExC(const void *config, const void *kernel, void **arguments) {
    COUNTED;
    return launch();
}

int cudaLaunchCooperativeKernel(const void *kernel, Size grid, Size block, void **arguments,
                                size_t shared, void *stream) {
    COUNTED;
    return launch();
}

/* Since CUDA 13 code asks for a handle of its kernel first. */
int __cudaGetKernel(const void **handle, const void *kernel) {
    COUNTED;
    *handle = kernel;
    return OK;
}

int __cudaLaunchKernel(const void *handle, Size grid, Size block, void **arguments, size_t shared,
                       void *stream) {
    COUNTED;
    return launch();
}

int cuLaunchKernel(void) {
    COUNTED;
    return launch();
}

/* --- What nvcc's code calls around a launch and when a library is loaded ---------------------- */

static __thread struct {
    Size grid, block;
    size_t shared;
    void *stream;
} pushed;

unsigned __cudaPushCallConfiguration(Size grid, Size block, size_t shared, void *stream) {
    pushed.grid = grid;
    pushed.block = block;
    pushed.shared = shared;
    pushed.stream = stream;
    return 0;
}

int __cudaPopCallConfiguration(Size *grid, Size *block, size_t *shared, void **stream) {
    *grid = pushed.grid;
    *block = pushed.block;
    *shared = pushed.shared;
    *stream = pushed.stream;
    return OK;
}

void **__cudaRegisterFatBinary(void *binary) {
    static void *handle;
    return &handle;
}

char __cudaInitModule(void **handle) { return 1; }

/* --- What a kernel would need ----------------------------------------------------------------- */

/* cudaFuncAttributes grew with CUDA 12. */
int cudaFuncGetAttributes(char *to, const void *kernel) {
    COUNTED;
    int status = ready();
    if (status != OK) return status;
    Card *card = card_at(current);
    int version = card->major * 10 + card->minor;
    memset(to, 0, CUDA_VERSION >= 12000 ? 144 : 56);
    *(int *)(to + 24) = 1024;  /* maxThreadsPerBlock */
    *(int *)(to + 28) = 32;    /* numRegs */
    *(int *)(to + 32) = version; /* ptxVersion */
    *(int *)(to + 36) = version; /* binaryVersion */
    *(int *)(to + 44) = 49152; /* maxDynamicSharedSizeBytes */
    return OK;
}

int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *kernel,
                                                           int size, size_t shared,
                                                           unsigned flags) {
    COUNTED;
    *blocks = size > 0 && size <= 2048 ? 2048 / size : 1;
    return OK;
}

int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel, int size,
                                                  size_t shared) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, kernel, size, shared, 0);
}

int cudaGetSymbolAddress(void **at, const void *symbol) {
    COUNTED;
    int status = ready();
    *at = status == OK ? make_block(4096, current, ON_CARD, NULL) : NULL;
    return status;
}

/* --- Functions of the driver, by name --------------------------------------------------------- */

static void *driver_function(const char *name) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == NULL) return NULL;
    char newer[128];
    snprintf(newer, sizeof newer, "%s_v2", name);
    void *found = dlsym(library, newer);
    return found != NULL ? found : dlsym(library, name);
}

int cudaGetDriverEntryPoint(const char *name, void **at, unsigned long long flags, int *found) {
    *at = driver_function(name);
    if (found != NULL) *found = *at != NULL ? 0 : 1;
    CALLED("%s%s", name, *at != NULL ? "" : " is missing");
    return done(driver());
}

int cudaGetDriverEntryPointByVersion(const char *name, void **at, unsigned version,
                                     unsigned long long flags, int *found) {
    return cudaGetDriverEntryPoint(name, at, flags, found);
}

int cuGetProcAddress_v2(const char *name, void **at, int version, uint64_t flags, int *found) {
    *at = driver_function(name);
    if (found != NULL) *found = *at != NULL ? 0 : 1;
    CALLED("%s%s", name, *at != NULL ? "" : " is missing");
    return *at != NULL ? OK : NOT_FOUND;
}
