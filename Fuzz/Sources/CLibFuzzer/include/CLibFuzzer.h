#pragma once

#include <stddef.h>
#include <stdint.h>

/// Runs libFuzzer with a function that takes an input and returns 0. It comes back only when it was asked to run a
/// number of inputs, or to merge.
int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*test)(const uint8_t *bytes, size_t size));
