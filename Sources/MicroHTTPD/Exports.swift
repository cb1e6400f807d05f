// What every part of the engine is made of.
@_exported import EventLoop
@_exported import HTTPTypes
@_exported import Logging
