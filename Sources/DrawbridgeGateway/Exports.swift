@_exported public import DrawbridgePageRuntime
