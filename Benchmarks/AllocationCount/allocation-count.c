// Counts the allocations of a program that loads this library before the C library, and writes their number and bytes to
// the file that ALLOCATION_COUNT_FILE names when the program ends, by exit(3) or _exit(2). Programs that it starts are
// not counted. Scripts/allocations builds and uses it.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

// glibc's other names for the functions that this library replaces.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_ulong count, bytes;

static void add(size_t size) {
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&bytes, size, memory_order_relaxed);
}

void *malloc(size_t size) {
    add(size);
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    add(number * size);
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    add(size);
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    add(size);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    add(size);
    *result = __libc_memalign(alignment, size);
    return *result ? 0 : ENOMEM;
}

// The file to write; empty for a program that is not counted.
static char file_name[4096];
// A forked process has the same memory, and is not the one to count.
static pid_t counted;

__attribute__((constructor)) static void begin(void) {
    const char *name = getenv("ALLOCATION_COUNT_FILE");
    if (!name || snprintf(file_name, sizeof file_name, "%s", name) >= (int)sizeof file_name) file_name[0] = 0;
    counted = getpid();
    unsetenv("ALLOCATION_COUNT_FILE");
}

static void report(void) {
    static atomic_flag is_told = ATOMIC_FLAG_INIT;
    if (!file_name[0] || getpid() != counted || atomic_flag_test_and_set(&is_told)) return;
    unsigned long number = atomic_load(&count), size = atomic_load(&bytes);
    int file = open(file_name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) return;
    dprintf(file, "%lu %lu\n", number, size);
    close(file);
}

__attribute__((destructor)) static void end(void) { report(); }

// A program that leaves by this way, as cardpresent does, runs no destructors.
void _exit(int status) {
    report();
    for (;;) syscall(SYS_exit_group, status);
}

void _Exit(int status) { _exit(status); }
