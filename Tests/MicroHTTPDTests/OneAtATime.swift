import Testing

/// The parent of tests that load the machine, count its sockets or measure time: none of them runs beside another.
@Suite(.serialized) struct OneAtATime {}
