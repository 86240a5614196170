import Testing

/// libpcsclite looks for its daemon once in a process: what meets a pcscd in this one runs one after the other.
@Suite("With a pcscd", .serialized) enum WithPCSCD {}
