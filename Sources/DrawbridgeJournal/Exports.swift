@_exported public import DrawbridgeMocks
