/* What a call failed with, and how it is said. */
#include "runtime.h"

static __thread int last;

static const struct {
    int status;
    const char *name, *driver_name, *text;
} errors[] = {
    {OK, "cudaSuccess", "CUDA_SUCCESS", "no error"},
    {INVALID_VALUE, "cudaErrorInvalidValue", "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {OUT_OF_MEMORY, "cudaErrorMemoryAllocation", "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {NOT_INITIALISED, "cudaErrorInitializationError", "CUDA_ERROR_NOT_INITIALIZED",
     "initialization error"},
    {NO_DRIVER, "cudaErrorInsufficientDriver", "CUDA_ERROR_STUB_LIBRARY",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {NO_DEVICE, "cudaErrorNoDevice", "CUDA_ERROR_NO_DEVICE",
     "no CUDA-capable device is detected"},
    {INVALID_DEVICE, "cudaErrorInvalidDevice", "CUDA_ERROR_INVALID_DEVICE",
     "invalid device ordinal"},
    {NOT_FOUND, "cudaErrorSymbolNotFound", "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {ILLEGAL_ADDRESS, "cudaErrorIllegalAddress", "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {710, "cudaErrorAssert", "CUDA_ERROR_ASSERT", "device-side assert triggered"},
    {719, "cudaErrorLaunchFailure", "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {NOT_SUPPORTED, "cudaErrorNotSupported", "CUDA_ERROR_NOT_SUPPORTED",
     "operation not supported"},
};
enum { KNOWN = sizeof errors / sizeof *errors };

static int find(int status) {
    int at = 0;
    while (at < KNOWN && errors[at].status != status) at++;
    return at;
}

int done(int status) {
    if (status != OK) last = status;
    return status;
}

/* A sticky error stays, whoever asks for it. */
int cudaGetLastError(void) {
    COUNTED;
    int found = last != OK ? last : sticky_error();
    last = OK;
    return found;
}

int cudaPeekAtLastError(void) {
    COUNTED;
    return last != OK ? last : sticky_error();
}

const char *cudaGetErrorString(int status) {
    int at = find(status);
    return at < KNOWN ? errors[at].text : "unrecognized error code";
}

const char *cudaGetErrorName(int status) {
    int at = find(status);
    return at < KNOWN ? errors[at].name : "unrecognized error code";
}

int cuGetErrorString(int status, const char **text) {
    int at = find(status);
    *text = at < KNOWN ? errors[at].text : NULL;
    return at < KNOWN ? OK : INVALID_VALUE;
}

int cuGetErrorName(int status, const char **text) {
    int at = find(status);
    *text = at < KNOWN ? errors[at].driver_name : NULL;
    return at < KNOWN ? OK : INVALID_VALUE;
}
