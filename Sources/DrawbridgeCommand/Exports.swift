// So that `import DrawbridgeCommand` is enough for a small program, also for one with files behind its gateway.
@_exported import DrawbridgeServer
