#include "CSlowDisk.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// The dynamic linker finds these before the C library's own, so SQLite flushes through them.

static _Atomic long delay;

void slow_disk_set_delay(long microseconds) { delay = microseconds; }

static int finish(int result) {
    long left = delay;
    if (left > 0) {
        struct timespec wait = {.tv_sec = left / 1000000, .tv_nsec = left % 1000000 * 1000};
        nanosleep(&wait, NULL);
    }
    return result;
}

int fsync(int descriptor) { return finish((int)syscall(SYS_fsync, descriptor)); }

int fdatasync(int descriptor) { return finish((int)syscall(SYS_fdatasync, descriptor)); }
