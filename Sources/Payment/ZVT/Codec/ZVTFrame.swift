import CardSecrets

/// A whole message as it stands in a connection: control field, length, and data. ZVT over TCP has nothing around it.
///
/// The length is one byte 00 to FE, or FF and two bytes, the low one first. The data may have card data and a password:
/// it has no textual form, and ``ZVTMessage`` reads it.
public struct ZVTFrame: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    public let control: ZVTControl
    /// The data behind the length, 0...65,535 bytes.
    public let data: [UInt8]
    /// The bytes before the data: 3, or 5 with the extended length.
    public let headLength: Int

    /// Makes a frame. Data beyond 65,535 bytes is refused by ``encoded()``.
    public init(_ control: ZVTControl, data: [UInt8]) {
        self.init(control, data: data, headLength: data.count < 0xFF ? 3 : 5)
    }

    init(_ control: ZVTControl, data: [UInt8], headLength: Int) {
        (self.control, self.data, self.headLength) = (control, data, headLength)
    }

    /// Returns the bytes of the frame.
    ///
    /// - Throws: ``ZVTRule/tooLong(_:maximum:)``
    public func encoded() throws(ZVTError) -> [UInt8] {
        guard data.count <= 0xFFFF else { throw ZVTError(.frame, at: 0, .tooLong(data.count, maximum: 0xFFFF)) }
        let length: [UInt8] =
            data.count < 0xFF ? [UInt8(data.count)] : [0xFF, UInt8(data.count & 0xFF), UInt8(data.count >> 8)]
        return control.bytes + length + data
    }

    /// The control field and the number of bytes.
    public var description: String { "\(control), \(data.count) bytes" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Finds the messages in the bytes of a connection, however these are cut into pieces. A reader that met an error is
/// done: the stream has no place at which reading could go on, so close the connection.
public struct ZVTFrameReader: Sendable {
    /// The most data of a message, in bytes.
    public let maximumLength: Int
    private var buffer: [UInt8] = []
    private var failure: ZVTError?

    /// - Parameter maximumLength: the most data that a message may have, 0...65,535 bytes.
    public init(maximumLength: Int = 0xFFFF) { self.maximumLength = maximumLength }

    /// The number of bytes that belong to an incomplete message.
    public var pendingCount: Int { buffer.count }

    /// Adds bytes of the connection.
    public mutating func feed(_ bytes: some Collection<UInt8>) {
        guard failure == nil else { return }
        buffer.append(contentsOf: bytes)
    }

    /// Returns the next whole message; nil when more bytes are needed.
    ///
    /// - Throws: ``ZVTRule/tooLong(_:maximum:)``, the same error again once there was one.
    public mutating func next() throws(ZVTError) -> ZVTFrame? {
        if let failure { throw failure }
        guard buffer.count >= 3 else { return nil }
        let isExtended = buffer[2] == 0xFF
        let head = isExtended ? 5 : 3
        guard buffer.count >= head else { return nil }
        let count = isExtended ? Int(buffer[3]) | Int(buffer[4]) << 8 : Int(buffer[2])
        guard count <= maximumLength else {
            let error = ZVTError(.frame, at: 2, .tooLong(count, maximum: maximumLength))
            failure = error
            clear()
            throw error
        }
        guard buffer.count >= head + count else { return nil }
        let frame = ZVTFrame(
            ZVTControl(buffer[0], buffer[1]), data: Array(buffer[head..<head + count]), headLength: head)
        let rest = Array(buffer[(head + count)...])
        clear()
        buffer = rest
        return frame
    }

    /// Says that the connection ended.
    ///
    /// - Throws: ``ZVTRule/truncated(missing:)`` when bytes of an incomplete message are left.
    public mutating func finish() throws(ZVTError) {
        if let failure { throw failure }
        guard !buffer.isEmpty else { return }
        let isExtended = buffer.count > 2 && buffer[2] == 0xFF
        let head = isExtended ? 5 : 3
        var needed = head
        if buffer.count >= head { needed += isExtended ? Int(buffer[3]) | Int(buffer[4]) << 8 : Int(buffer[2]) }
        let error = ZVTError(.frame, at: buffer.count, .truncated(missing: needed - buffer.count))
        failure = error
        clear()
        throw error
    }

    private mutating func clear() {
        buffer.wipe()
        buffer = []
    }
}
