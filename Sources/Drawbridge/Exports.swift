// What programs need of the core's modules, by one import. JSON comes with DrawbridgeMessages, and so do the methods,
// statuses and header fields of swift-http-types, and the loggers of swift-log.
@_exported import DrawbridgeGateway
@_exported import DrawbridgeJournal
@_exported import DrawbridgeMessages
@_exported import DrawbridgeMocks
@_exported import DrawbridgePageRuntime
