#include "texts.h"

// `#embed` is of C23; before it, clang has it too.
#pragma clang diagnostic ignored "-Wc23-extensions"

#define TEXT(name) {name, (const char[]){
#define END , 0}},
