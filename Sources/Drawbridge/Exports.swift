// What programs need of the core's modules, by one import. Methods, statuses and header fields are swift-http-types' own,
// and a request logs by swift-log.
@_exported import DrawbridgeGateway
@_exported import DrawbridgeJSON
@_exported import DrawbridgeJournal
@_exported import DrawbridgeMessages
@_exported import DrawbridgeMocks
@_exported import DrawbridgePageRuntime
@_exported import HTTPTypes
@_exported import Logging
