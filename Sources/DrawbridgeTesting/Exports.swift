// Tests need to import only DrawbridgeTesting.
@_exported public import Drawbridge
