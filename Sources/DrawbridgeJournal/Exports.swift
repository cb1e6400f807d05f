// What nearly every file of this module needs.
@_exported import DrawbridgeMessages
