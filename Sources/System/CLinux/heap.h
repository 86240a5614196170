// mallinfo2(3), which Swift does not import from glibc.
#pragma once

#include <malloc.h>
#include <stddef.h>

// The bytes that malloc has handed out, in all arenas and in mappings of their own, and that were not freed. What a
// thread's cache holds counts as handed out.
static inline size_t heap_bytes_in_use(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}
