#define _GNU_SOURCE
#include "CProcessSecrecy.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

static atomic_bool wipes;

int process_secrecy_begin(void) {
    int failure = 0;
    const struct rlimit none = {0, 0};
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) failure = errno;
    if (setrlimit(RLIMIT_CORE, &none) != 0 && failure == 0) failure = errno;
    atomic_store(&wipes, 1);
    return failure;
}

// A sanitizer brings its own functions.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HEAP_BELONGS_TO_A_SANITIZER
#endif
#endif
#ifndef HEAP_BELONGS_TO_A_SANITIZER

// The program's own free and realloc stand before those of the C library, for every library of the process. Card data
// passes through arrays of bytes, buffers of C libraries, and frames of asynchronous functions; wiping what is given
// back here reaches all of them. M_PERTURB of mallopt(3) would not: glibc does not overwrite what goes to the cache of a
// thread, which is every block up to 1,032 bytes.

static _Atomic(void (*)(void *)) next_free;
static _Atomic(void *(*)(void *, size_t)) next_realloc;
static _Thread_local int searches;

// The functions that these replace: the C library's, or those of a library that was loaded before it.
static void find(void) {
    if (searches || (atomic_load(&next_free) && atomic_load(&next_realloc))) return;
    searches = 1;
    atomic_store(&next_free, (void (*)(void *))dlsym(RTLD_NEXT, "free"));
    atomic_store(&next_realloc, (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc"));
    searches = 0;
}

__attribute__((constructor)) static void find_early(void) { find(); }

void free(void *memory) {
    if (!memory) return;
    int error = errno;
    if (atomic_load_explicit(&wipes, memory_order_relaxed)) explicit_bzero(memory, malloc_usable_size(memory));
    find();
    void (*next)(void *) = atomic_load_explicit(&next_free, memory_order_relaxed);
    // While it is searched for, a few bytes are not given back.
    if (next) next(memory);
    errno = error;
}

void *realloc(void *memory, size_t size) {
    find();
    void *(*next)(void *, size_t) = atomic_load_explicit(&next_realloc, memory_order_relaxed);
    if (!next) {
        errno = ENOMEM;
        return NULL;
    }
    if (!memory || !atomic_load_explicit(&wipes, memory_order_relaxed)) return next(memory, size);
    if (size == 0) {
        free(memory);
        return NULL;
    }
    // The C library would give the old block back without wiping it.
    size_t old = malloc_usable_size(memory);
    if (size <= old && size >= old / 2) return memory;
    void *moved = malloc(size);
    if (!moved) return NULL;
    memcpy(moved, memory, size < old ? size : old);
    free(memory);
    return moved;
}

#endif
