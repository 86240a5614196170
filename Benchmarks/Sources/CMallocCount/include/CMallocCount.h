#ifndef CMALLOCCOUNT_H
#define CMALLOCCOUNT_H

/// How often this thread has asked for memory: malloc, calloc, realloc and their aligned kin.
long malloc_count(void);

#endif
