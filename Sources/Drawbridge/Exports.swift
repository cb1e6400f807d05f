// What programs need of the core's modules, by one import. Methods, statuses and header fields are swift-http-types' own,
// and a request logs by swift-log.
@_exported public import DrawbridgeGateway
@_exported public import DrawbridgeJSON
@_exported public import DrawbridgeJournal
@_exported public import DrawbridgeMessages
@_exported public import DrawbridgeMocks
@_exported public import DrawbridgePageRuntime
@_exported public import HTTPTypes
@_exported public import Logging
