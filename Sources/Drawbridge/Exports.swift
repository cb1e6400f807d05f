// Methods, statuses and header fields are swift-http-types' own, and every handler needs some: one import is enough.
@_exported public import HTTPTypes
