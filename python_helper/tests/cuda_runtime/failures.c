/* Failures on purpose: CUDA_RUNTIME_FAIL=kind[:first call[:status]],… and stub_poison at any time.
   The kinds are malloc, launch, context and cublas. */
#include "runtime.h"

#include <stdio.h>
#include <string.h>

enum { MOST_FAILURES = 8 };

typedef struct {
    char kind[16];
    long first; /* of the calls of this kind that fail, counted from 1 */
    int status;
    long calls;
} Failure;

static Failure failures[MOST_FAILURES];
static int failure_count;
static int sticky;

int sticky_error(void) { return sticky; }

void stub_poison(int status) { sticky = status; } /* 0 heals, which no card does */

void read_failures(const char *text) {
    while (*text != 0 && failure_count < MOST_FAILURES) {
        Failure *each = &failures[failure_count];
        each->status = strncmp(text, "launch", 6) == 0 ? ILLEGAL_ADDRESS : OUT_OF_MEMORY;
        if (sscanf(text, "%15[a-z]:%ld:%d", each->kind, &each->first, &each->status) > 0) {
            failure_count++;
        }
        text += strcspn(text, ",");
        text += *text == ',';
    }
}

/* What a kernel does wrong stays so; memory or a context that is refused may be had later. */
int failure_of(const char *kind) {
    for (int i = 0; i < failure_count; i++) {
        Failure *each = &failures[i];
        if (strcmp(each->kind, kind) != 0) continue;
        long call = __sync_add_and_fetch(&each->calls, 1);
        if (call < each->first) continue;
        if (strcmp(kind, "launch") == 0) sticky = each->status;
        return each->status;
    }
    return OK;
}
