// The floors below, which nearly every file of this one stands on.
@_exported import DrawbridgeJournal
@_exported import DrawbridgeMessages
@_exported import DrawbridgeMocks
@_exported import DrawbridgePageRuntime
