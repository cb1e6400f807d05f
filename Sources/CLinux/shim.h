// What Linux has and Swift's Glibc leaves out.
#ifndef DRAWBRIDGE_LINUX_SHIM_H
#define DRAWBRIDGE_LINUX_SHIM_H

#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>

// Names the thread that calls it.
static inline void dbl_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

// Gives the system what the allocator keeps of memory that was freed.
static inline void dbl_return_memory(void) { malloc_trim(0); }

#endif
