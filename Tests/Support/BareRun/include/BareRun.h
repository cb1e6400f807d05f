// Nothing to call: the constructor in BareRun.c does it.
