#pragma once

#include <libusb.h>
#include <linux/netlink.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/time.h>

// prctl is variadic, which Swift does not import.
static inline void name_calling_thread(const char *name) { prctl(PR_SET_NAME, name); }

// libusb_set_option is variadic, too. Without a context it is about contexts that are made later.
static inline int disable_device_discovery(void) {
    return libusb_set_option(NULL, LIBUSB_OPTION_NO_DEVICE_DISCOVERY);
}
