/// The server's side of a connection, without I/O: bytes come in, steps come out. A client asks for one thing; if
/// that is a device, commands follow for as long as it likes.
struct USBIPSession: Sendable {
    /// What comes next.
    enum Step: Hashable, Sendable {
        /// Answer the request. An import that is granted is told to ``imported(device:)``; otherwise the
        /// connection ends.
        case answer(USBIPRequest)
        case perform(USBIPCommand)
    }

    private enum Phase {
        case request
        /// The request is being answered.
        case answering
        case commands(device: UInt32)
    }

    private var received: [UInt8] = []
    private var phase = Phase.request

    /// Whether the client owes bytes: a request, or the rest of a command. A client with a device may be silent for
    /// ever.
    var isOwed: Bool {
        if case .request = phase { true } else { !received.isEmpty }
    }

    /// Takes bytes of the client, however they were cut.
    mutating func receive(_ bytes: [UInt8]) { received += bytes }

    /// The next whole message; nil until one is there.
    ///
    /// - Throws: ``DoorError/malformed(_:)``
    mutating func next() throws(DoorError) -> Step? {
        switch phase {
        case .request:
            guard let request = try USBIPRequest.take(from: &received) else { return nil }
            phase = .answering
            return .answer(request)
        case .answering:
            return nil
        case .commands(let device):
            return try USBIPCommand.take(from: &received, device: device).map { .perform($0) }
        }
    }

    /// The client has got the device with this number.
    mutating func imported(device: UInt32) { phase = .commands(device: device) }
}
