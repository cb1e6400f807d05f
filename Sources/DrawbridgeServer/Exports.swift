// So that `import DrawbridgeServer` is enough for a program that runs a gateway.
@_exported import Drawbridge
@_exported import struct MicroHTTPD.Limits
@_exported import struct MicroHTTPD.ListenError
@_exported import struct MicroHTTPD.TLSIdentity
