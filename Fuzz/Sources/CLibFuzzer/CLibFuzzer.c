#include "CLibFuzzer.h"

// What the leak sanitizer asks for: fontconfig keeps what it has read of fonts until the program ends. The static table
// of a profile's keys has pointers with tag bits, which the sanitizer does not follow.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libfontconfig\nleak:ProfileKeys\n"; }
