#pragma once

// The C library's header of the kernel's clock discipline, which Swift's own module of the C library leaves out.
#include <sys/timex.h>
