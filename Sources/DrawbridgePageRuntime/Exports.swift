@_exported public import DrawbridgeJournal
@_exported public import DrawbridgeMocks
