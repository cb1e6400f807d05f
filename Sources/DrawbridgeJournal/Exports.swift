@_exported public import DrawbridgeMessages
