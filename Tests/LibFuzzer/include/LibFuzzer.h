#pragma once

#include <stddef.h>
#include <stdint.h>

// libFuzzer's own main function, for programs that have one; see LLVM's page "libFuzzer", "Using
// libFuzzer as a library". It is linked where `-sanitize=fuzzer` is given.
int LLVMFuzzerRunDriver(
    int *count, char ***arguments, int (*run)(const uint8_t *bytes, size_t size));
