#include "CTestFonts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Fontconfig reads its configuration once, at the first use in the process, so that no test is early enough to set it.
__attribute__((constructor)) static void useFontsOfTests(void) {
    const char *end = strrchr(__FILE__, '/');
    char path[4096];
    int length = snprintf(path, sizeof path, "%.*s/fonts.conf", (int)(end ? end - __FILE__ : 0), __FILE__);
    if (end && length > 0 && (size_t)length < sizeof path) setenv("FONTCONFIG_FILE", path, 1);
}
