import Testing

/// One fake pcscd at a time.
@Suite("Readers behind pcscd", .serialized) enum WithFakeDaemon {}
