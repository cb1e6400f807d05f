// Swift's module Glibc refers to hypotf, which nothing here calls. Linked against glibc 2.35 or later, the command would
// ask for the version of it that came with 2.35; with this one it asks for nothing above 2.34.
#include <math.h>

float hypotf(float x, float y) {
    if (isinf(x) || isinf(y)) return INFINITY;
    return (float)sqrt((double)x * x + (double)y * y);
}
