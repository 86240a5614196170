#pragma once

#include <libusb.h>
#include <sys/time.h>
