// JSON is part of what the core offers. Methods, statuses and header fields are swift-http-types' own, and a request logs
// by swift-log: every handler needs some of it, and one import is enough.
@_exported public import DrawbridgeJSON
@_exported public import HTTPTypes
@_exported public import Logging
