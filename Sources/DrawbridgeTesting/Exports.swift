// Tests need to import only DrawbridgeTesting.
@_exported import Drawbridge
