// A program of five lines needs one import.
@_exported public import Drawbridge
