#include "scripts.h"

// `#embed` is of C23; before it, clang has it too.
#pragma clang diagnostic ignored "-Wc23-extensions"

const char *const dbl_tick_script = (const char[]){
#embed "tick.lua"
, 0};

const char *const dbl_load_script = (const char[]){
#embed "load.lua"
, 0};

const char *const dbl_write_script = (const char[]){
#embed "write.lua"
, 0};
