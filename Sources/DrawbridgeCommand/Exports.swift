// So that `import DrawbridgeCommand` is enough for a small program.
@_exported import Drawbridge
