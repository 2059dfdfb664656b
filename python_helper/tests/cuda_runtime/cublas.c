/* cuBLAS: a handle takes the workspace that PyTorch gives it, from PyTorch's own allocator. */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

enum { CUBLAS_ALLOCATION_FAILED = 3 };

typedef struct {
    void *workspace;
    size_t bytes;
    int math_mode;
} Handle;

int cublasCreate_v2(Handle **handle) {
    int failed = failure_of("cublas") != OK;
    CALLED("device=%d%s", current, failed ? " refused" : "");
    *handle = failed ? NULL : calloc(1, sizeof **handle);
    return failed ? CUBLAS_ALLOCATION_FAILED : OK;
}

int cublasDestroy_v2(Handle *handle) {
    NOTED;
    free(handle);
    return OK;
}

int cublasSetWorkspace_v2(Handle *handle, void *workspace, size_t bytes) {
    COUNTED;
    int is_new = handle->workspace != workspace || handle->bytes != bytes;
    if (is_new) write_down(__func__, "bytes=%zu", bytes);
    handle->workspace = workspace;
    handle->bytes = bytes;
    return OK;
}

int cublasSetMathMode(Handle *handle, int mode) {
    COUNTED;
    handle->math_mode = mode;
    return OK;
}

int cublasGetMathMode(const Handle *handle, int *mode) {
    COUNTED;
    *mode = handle->math_mode;
    return OK;
}

int cublasGetPointerMode_v2(const Handle *handle, int *mode) {
    COUNTED;
    *mode = 0;
    return OK;
}

int cublasGetVersion_v2(const Handle *handle, int *version) {
    COUNTED;
    *version = CUDA_VERSION;
    return OK;
}

/* cuBLASLt finds one algorithm, which needs no workspace: 64 bytes of it, then its properties. */
int cublasLtMatmulAlgoGetHeuristic(void *lt, void *operation, void *a, void *b, void *c, void *d,
                                   void *preference, int wanted, char *results, int *found) {
    COUNTED;
    memset(results, 0, 96);
    *found = 1;
    return OK;
}
