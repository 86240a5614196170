/* The kernel's keyrings (keyctl(2)), by system calls: no library is needed. */
#pragma once

#include <linux/keyctl.h>
#include <sys/syscall.h>
#include <unistd.h>
