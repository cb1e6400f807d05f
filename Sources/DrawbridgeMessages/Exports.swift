// What messages are made of, so that a file of this module, or one that imports it, need not name each part.
@_exported import DrawbridgeJSON
@_exported import HTTPGrammar
@_exported import HTTPTypes
@_exported import Logging
