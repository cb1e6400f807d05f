// Which files processes open, as the kernel tells it: fanotify(7).
#pragma once

#include <fcntl.h>
#include <linux/sched.h>
#include <sys/fanotify.h>
#include <sys/syscall.h>
#include <unistd.h>

// Swift sees none of these as numbers that can be combined.
enum {
    WatchDescriptor = FAN_CLOEXEC | FAN_UNLIMITED_QUEUE | FAN_UNLIMITED_MARKS,
    WatchMount = FAN_MARK_ADD | FAN_MARK_MOUNT,
    // A file that was told once is not told again, also when it is written to.
    WatchNoMore = FAN_MARK_ADD | FAN_MARK_IGNORED_MASK | FAN_MARK_IGNORED_SURV_MODIFY,
    WatchOpened = FAN_OPEN,
    WatchOverflow = FAN_Q_OVERFLOW,
};

// The C library tells of it only to those who ask for GNU's additions, and Swift's Glibc does not.
static inline int have_mounts_of_its_own(void) { return (int)syscall(SYS_unshare, CLONE_NEWNS); }
