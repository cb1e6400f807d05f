// What Linux has and Swift's Glibc leaves out.
#ifndef DRAWBRIDGE_LINUX_SHIM_H
#define DRAWBRIDGE_LINUX_SHIM_H

#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <time.h>

// C's header declares it for X/Open alone.
char *strptime(const char *text, const char *format, struct tm *parts);

// Names the thread that calls it.
static inline void dbl_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

// Whether WSL mounts a folder of Windows: by 9p, or in WSL 1 by drvfs.
static inline bool dbl_is_of_windows(int folder) {
    struct statfs disk;
    struct utsname kernel;
    if (fstatfs(folder, &disk) != 0 || uname(&kernel) != 0) return false;
    if (disk.f_type != 0x01021997 && disk.f_type != 0x53464846) return false;
    // Its name ends in Microsoft in WSL 1, and in microsoft-standard-WSL2.
    for (const char *end = kernel.release; *end != 0; end++) {
        if (strncasecmp(end, "microsoft", 9) == 0) return true;
    }
    return false;
}

// Lets the allocator keep what is freed while large blocks follow each other, so that the next is made of the same pages.
//
// Its own numbers for that grow with the blocks that it sees: too late and too little for bodies of several sizes, which
// then give back their pages and take new ones again and again.
static inline void dbl_keep_memory(void) {
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
}

// Copies bytes; past the caches, to memory that is not read soon, without bringing it there first and pushing out what is
// there. Then this thread has to make a memory fence before another one gets what was copied.
static inline void dbl_copy(void *to, const void *from, size_t count, bool is_past_caches) {
    if (!is_past_caches) {
        memcpy(to, from, count);
        return;
    }
    typedef long long vector __attribute__((vector_size(16)));
    typedef vector unaligned __attribute__((aligned(1)));
    // The processor collects these stores until a line of its caches is full, so lines are written as a whole.
    size_t first = -(uintptr_t) to % 64;
    if (first > count) first = count;
    memcpy(to, from, first);
    char *target = (char *) to + first;
    const char *source = (const char *) from + first, *end = (const char *) from + count;
    for (; end - source >= 64; source += 64, target += 64) {
        for (int place = 0; place < 64; place += 16) {
            __builtin_nontemporal_store(*(const unaligned *) (source + place), (vector *) (target + place));
        }
    }
    memcpy(target, source, (size_t) (end - source));
}

// Gives the system what the allocator keeps of memory that was freed.
static inline void dbl_return_memory(void) { malloc_trim(0); }

// Gives the system what stands free at the end of the calling thread's heap, which malloc_trim leaves there: as much as
// dbl_keep_memory lets it keep. The allocator looks at that end only when a block is freed.
static inline void dbl_return_end_of_heap(void) {
    mallopt(M_TRIM_THRESHOLD, 128 << 10);
    void *volatile block = malloc(100 << 10);
    free(block);
    dbl_keep_memory();
}

#endif
