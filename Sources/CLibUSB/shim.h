#pragma once

#include <libusb.h>
#include <sys/prctl.h>
#include <sys/time.h>

// prctl is variadic, which Swift does not import.
static inline void name_calling_thread(const char *name) { prctl(PR_SET_NAME, name); }
