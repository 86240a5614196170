public import Determinism

/// A stream of bytes to a peer and from it: TCP, TLS, or a connection in the memory of a simulated world.
///
/// Any number of tasks may use a connection. Reads take their turns, and so do writes: the bytes of one write stay
/// together, and writes go out in the order of their calls. Reads and writes do not wait for each other.
///
/// Every wait has a deadline and ends at once when its task is canceled. Releasing the last reference closes a
/// connection.
public protocol ByteConnection: AnyObject, Sendable {
    /// Who is at the other end.
    var peer: ConnectionPeer { get }

    /// Waits for bytes.
    ///
    /// A read that ends by its deadline or by cancellation takes nothing, and the connection stays usable.
    ///
    /// - Parameters:
    ///   - limit: the most bytes to return, at least 1.
    ///   - deadline: the end of the wait. Bytes that have arrived are returned even after it.
    /// - Returns: 1 to `limit` bytes; nil after the orderly end of the peer's stream.
    /// - Throws: ``ConnectionFailure``
    func read(upTo limit: Int, deadline: Deadline) async throws(ConnectionFailure) -> [UInt8]?

    /// Writes all bytes. That they were written does not mean that the peer has them.
    ///
    /// A write that fails with ``WriteFailure/maybeSent(_:)`` closes the connection, because it may have sent a part.
    ///
    /// - Parameters:
    ///   - bytes: the bytes.
    ///   - deadline: the end of the wait until the system has taken the bytes, including earlier writes.
    /// - Throws: ``WriteFailure``, which says whether certainly nothing was sent.
    func write(_ bytes: [UInt8], deadline: Deadline) async throws(WriteFailure)

    /// Closes the connection and ends all waits with ``ConnectionFailure/closed``. Does not wait.
    ///
    /// - Parameter last: bytes to send before, if no write is under way and the system takes them at once.
    func close(sending last: [UInt8])

    /// Breaks the connection off, so that the peer's system reports an error instead of an end, where the transport can
    /// do that. Does not wait.
    func reset()
}

extension ByteConnection {
    /// Closes the connection and ends all waits with ``ConnectionFailure/closed``. Does not wait.
    public func close() { close(sending: []) }

    /// Reads exactly `count` bytes.
    ///
    /// - Parameters:
    ///   - count: the number of bytes; with 0 nothing is read.
    ///   - deadline: the end of the whole wait.
    /// - Returns: the bytes; nil when the stream ended before the first one.
    /// - Throws: ``ConnectionFailure``. ``ConnectionFailure/endedEarly(missing:)`` when the stream ends within them. A
    ///   deadline or a cancellation loses the bytes that were read before: close the connection then.
    public func read(exactly count: Int, deadline: Deadline) async throws(ConnectionFailure) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard let more = try await read(upTo: count - bytes.count, deadline: deadline) else {
                if bytes.isEmpty { return nil }
                throw .endedEarly(missing: count - bytes.count)
            }
            if bytes.isEmpty { bytes = more } else { bytes += more }
        }
        return bytes
    }
}

/// The peer of a connection.
public struct ConnectionPeer: Hashable, Sendable, CustomStringConvertible {
    /// The address as text, for example `192.0.2.7:8583`.
    public let address: String
    /// What TLS says about it; nil without TLS.
    public let security: TLSPeer?

    /// Takes the peer's address for messages; `security` is nil without TLS.
    public init(address: String, security: TLSPeer? = nil) { (self.address, self.security) = (address, security) }

    /// `192.0.2.7:8583`, or `192.0.2.7:8583 (TLSv1.3, acquirer.example)`.
    public var description: String {
        guard let security else { return address }
        let name = security.certificate.map { ", \($0.subject)" } ?? ""
        return "\(address) (\(security.version)\(name))"
    }
}

/// The end of a wait: a reading of a time source's monotonic clock, which no change of the calendar time moves.
public struct Deadline: Hashable, Comparable, Sendable {
    /// The reading at which the wait ends.
    public let reading: Duration

    /// Ends when the monotonic clock shows this reading.
    public init(reading: Duration) { self.reading = reading }

    /// The moment `limit` from now.
    public init(after limit: Duration, on time: any TimeSource) { reading = time.reading() + limit }

    /// The end of a wait that only its event or a cancellation ends, such as that of a server for its next client.
    public static let never = Deadline(reading: .seconds(Int64.max / 4))

    /// Returns the time that is left; zero or less when the deadline has passed.
    public func remaining(on time: any TimeSource) -> Duration { reading - time.reading() }

    /// Returns the earlier of this deadline and the moment `limit` from now.
    public func limited(to limit: Duration, on time: any TimeSource) -> Deadline {
        min(self, Deadline(after: limit, on: time))
    }

    public static func < (first: Deadline, second: Deadline) -> Bool { first.reading < second.reading }
}
