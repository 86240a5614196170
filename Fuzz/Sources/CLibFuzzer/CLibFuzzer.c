#include "CLibFuzzer.h"

// What the leak sanitizer asks for: fontconfig keeps what it has read of fonts until the program ends.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libfontconfig\n"; }
