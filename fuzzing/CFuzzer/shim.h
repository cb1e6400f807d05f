// The entry of libFuzzer for a program that has a main of its own; LLVM ships the library and no header.
#ifndef DRAWBRIDGE_FUZZER_SHIM_H
#define DRAWBRIDGE_FUZZER_SHIM_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *data, size_t size));

#endif
