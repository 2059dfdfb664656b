/* Streams, events and graphs: everything has been done when a call returns. */
#include "runtime.h"

#include <stdlib.h>
#include <time.h>

typedef struct {
    int device, is_capturing;
    unsigned long long capture;
} Stream;

static Stream usual; /* stands for the null stream and for each thread's own */

static Stream *stream_of(void *stream) { return (uintptr_t)stream < 16 ? &usual : stream; }

int cudaStreamCreateWithPriority(void **stream, unsigned flags, int priority) {
    CALLED("device=%d", current);
    int status = ready();
    Stream *made = status == OK ? calloc(1, sizeof *made) : NULL;
    if (made != NULL) made->device = current;
    *stream = made;
    return status;
}

int cudaStreamCreateWithFlags(void **stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

int cudaStreamCreate(void **stream) { return cudaStreamCreateWithPriority(stream, 0, 0); }

int cudaStreamDestroy(void *stream) {
    NOTED;
    free(stream);
    return OK;
}

int cudaStreamQuery(void *stream) {
    COUNTED;
    return ready();
}

int cudaStreamSynchronize(void *stream) {
    COUNTED;
    return ready();
}

int cudaStreamWaitEvent(void *stream, void *event, unsigned flags) {
    COUNTED;
    return ready();
}

int cudaStreamGetPriority(void *stream, int *priority) {
    COUNTED;
    *priority = 0;
    return OK;
}

int cudaStreamGetDevice(void *stream, int *device) {
    COUNTED;
    *device = stream_of(stream)->device;
    return OK;
}

int cudaStreamAddCallback(void *stream, void (*call)(void *, int, void *), void *data,
                          unsigned flags) {
    COUNTED;
    call(stream, OK, data);
    return OK;
}

int cudaLaunchHostFunc(void *stream, void (*call)(void *), void *data) {
    COUNTED;
    call(data);
    return OK;
}

/* --- Events ----------------------------------------------------------------------------------- */

typedef struct {
    struct timespec recorded;
} Event;

int cudaEventCreateWithFlags(void **event, unsigned flags) {
    COUNTED;
    int status = ready();
    *event = status == OK ? calloc(1, sizeof(Event)) : NULL;
    return status;
}

int cudaEventCreate(void **event) { return cudaEventCreateWithFlags(event, 0); }

int cudaEventDestroy(void *event) {
    COUNTED;
    free(event);
    return OK;
}

int cudaEventRecordWithFlags(Event *event, void *stream, unsigned flags) {
    COUNTED;
    clock_gettime(CLOCK_MONOTONIC, &event->recorded);
    return ready();
}

int cudaEventRecord(Event *event, void *stream) {
    return cudaEventRecordWithFlags(event, stream, 0);
}

int cudaEventQuery(void *event) {
    COUNTED;
    return ready();
}

int cudaEventSynchronize(void *event) {
    COUNTED;
    return ready();
}

/* The host's time, which says nothing about a card's. */
int cudaEventElapsedTime(float *ms, const Event *from, const Event *to) {
    COUNTED;
    long seconds = to->recorded.tv_sec - from->recorded.tv_sec;
    long rest = to->recorded.tv_nsec - from->recorded.tv_nsec;
    *ms = (float)((double)seconds * 1e3 + (double)rest / 1e6);
    return OK;
}

int cudaEventElapsedTime_v2(float *ms, const Event *from, const Event *to) {
    return cudaEventElapsedTime(ms, from, to);
}

/* --- Graphs: one that has no nodes stands for all --------------------------------------------- */

static char graph_of_all[64];
static unsigned long long captures;

int cudaStreamBeginCapture(void *stream, int mode) {
    NOTED;
    stream_of(stream)->is_capturing = 1;
    stream_of(stream)->capture = ++captures;
    return ready();
}

int cudaStreamEndCapture(void *stream, void **graph) {
    NOTED;
    stream_of(stream)->is_capturing = 0;
    *graph = graph_of_all;
    return ready();
}

int cudaStreamIsCapturing(void *stream, int *status) {
    COUNTED;
    *status = stream_of(stream)->is_capturing;
    return OK;
}

static int tell_capture(void *stream, int *status, unsigned long long *capture, void **graph,
                        const void ***dependencies, size_t *length) {
    *status = stream_of(stream)->is_capturing;
    if (capture != NULL) *capture = stream_of(stream)->capture;
    if (graph != NULL) *graph = graph_of_all;
    if (dependencies != NULL) *dependencies = NULL;
    if (length != NULL) *length = 0;
    return OK;
}

int cudaStreamGetCaptureInfo_v2(void *stream, int *status, unsigned long long *capture,
                                void **graph, const void ***dependencies, size_t *length) {
    COUNTED;
    return tell_capture(stream, status, capture, graph, dependencies, length);
}

int cudaStreamGetCaptureInfo_v3(void *stream, int *status, unsigned long long *capture,
                                void **graph, const void ***dependencies, void **edges,
                                size_t *length) {
    COUNTED;
    return tell_capture(stream, status, capture, graph, dependencies, length);
}

#if CUDA_VERSION >= 13000
int cudaStreamGetCaptureInfo(void *stream, int *status, unsigned long long *capture, void **graph,
                             const void ***dependencies, void **edges, size_t *length) {
    COUNTED;
    return tell_capture(stream, status, capture, graph, dependencies, length);
}
#else
int cudaStreamGetCaptureInfo(void *stream, int *status, unsigned long long *capture) {
    COUNTED;
    return tell_capture(stream, status, capture, NULL, NULL, NULL);
}
#endif

int cudaStreamUpdateCaptureDependencies(void *stream, ...) {
    COUNTED;
    return OK;
}

int cudaThreadExchangeStreamCaptureMode(int *mode) {
    COUNTED;
    static __thread int now;
    int before = now;
    now = *mode;
    *mode = before;
    return OK;
}

int cudaGraphInstantiate(void **executable, void *graph, ...) {
    NOTED;
    *executable = graph_of_all;
    return ready();
}

int cudaGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long flags) {
    return cudaGraphInstantiate(executable, graph);
}

/* PyTorch warns of a graph without nodes, so there is one, and nothing before it. */
int cudaGraphGetNodes(void *graph, void **nodes, size_t *length) {
    COUNTED;
    *length = 1;
    if (nodes != NULL) *nodes = graph_of_all;
    return OK;
}

int cudaGraphNodeGetType(void *node, int *type) {
    COUNTED;
    *type = 0;
    return OK;
}

int cudaGraphAddEmptyNode(void **node, ...) {
    COUNTED;
    *node = graph_of_all;
    return OK;
}

int cudaGraphNodeGetDependencies(void *node, void *nodes, size_t *length, size_t *new_length) {
    COUNTED;
    *(CUDA_VERSION >= 13000 ? new_length : length) = 0;
    return OK;
}
