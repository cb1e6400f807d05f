@_exported public import DrawbridgeJournal
