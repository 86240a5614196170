#pragma once

#include <errno.h>
#include <linux/hidraw.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>

// ioctl is variadic, and its request numbers are made of casts: Swift imports neither.

// Bus, vendor and product of an open hidraw node. Returns 0, or errno.
static inline int hidraw_info(int file, struct hidraw_devinfo *info) {
    return ioctl(file, HIDIOCGRAWINFO, info) < 0 ? errno : 0;
}

// Copies the report descriptor to `buffer`, at most `capacity` bytes. Returns their number, or -errno.
static inline int hidraw_report_descriptor_bytes(int file, unsigned char *buffer, int capacity) {
    struct hidraw_report_descriptor descriptor;
    int size = 0;
    if (ioctl(file, HIDIOCGRDESCSIZE, &size) < 0) return -errno;
    memset(&descriptor, 0, sizeof descriptor);
    descriptor.size = size;
    if (ioctl(file, HIDIOCGRDESC, &descriptor) < 0) return -errno;
    if (size > capacity) size = capacity;
    if (size > (int)sizeof descriptor.value) size = sizeof descriptor.value;
    memcpy(buffer, descriptor.value, size);
    return size;
}
