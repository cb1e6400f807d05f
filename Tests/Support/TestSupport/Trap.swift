import Glibc

/// The signal that ends a process whose program has made a mistake; what is thrown would be another end.
#if arch(x86_64)
package let trap = SIGILL
#else
package let trap = SIGTRAP
#endif
