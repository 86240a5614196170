import Determinism
import Files
import Glibc
import Synchronization

/// A TCP connection. All connections of the process share one thread, which only waits.
///
/// Short messages leave at once (`TCP_NODELAY`). A peer whose system no longer answers is noticed within
/// ``TCPOptions/peerTimeout``, also while nothing is sent, and ends reads and writes with
/// ``ConnectionFailure/vanished``.
public final class TCPConnection: ByteConnection {
    public let peer: ConnectionPeer
    private let socket: StreamSocket
    private let (readers, writers) = (Turns(), Turns())
    /// Counts the connection for the limit of its listener, as long as it is open.
    private let place: Mutex<ListenerPlaces.Place?>

    init(_ socket: StreamSocket, peer: String, options: TCPOptions, place: ListenerPlaces.Place? = nil) {
        (self.socket, self.peer) = (socket, ConnectionPeer(address: peer))
        self.place = Mutex(place)
        options.apply(to: socket)
    }

    deinit { close() }

    public func read(upTo limit: Int, deadline: Deadline) async throws(ConnectionFailure) -> [UInt8]? {
        try await readers.take(until: deadline, on: socket.time, for: .read)
        defer { readers.release() }
        var bytes: [UInt8] = []
        let room = min(max(1, limit), Self.mostReadAtOnce)
        _ = try await socket.perform(.reading, deadline: deadline, for: .read) { file in
            withUnsafeTemporaryAllocation(byteCount: room, alignment: 1) { buffer in
                let count = recv(file, buffer.baseAddress, buffer.count, 0)
                if count > 0 { bytes = Array(buffer[..<count]) }
                return count
            }
        }
        return bytes.isEmpty ? nil : bytes
    }

    private static let mostReadAtOnce = 1 << 16

    public func write(_ bytes: [UInt8], deadline: Deadline) async throws(WriteFailure) {
        do throws(ConnectionFailure) {
            guard deadline.remaining(on: socket.time) > .zero else { throw .timedOut(.write) }
            try await writers.take(until: deadline, on: socket.time, for: .write)
        } catch {
            throw .notSent(error)
        }
        defer { writers.release() }
        var sent = 0
        do throws(ConnectionFailure) {
            while sent < bytes.count {
                sent += try await socket.perform(.writing, deadline: deadline, for: .write) { file in
                    bytes[sent...].withUnsafeBytes { send(file, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                }
            }
        } catch {
            guard sent == 0 else {
                // A message that ends in its middle is worth nothing, and a later one must not follow it.
                close()
                throw .maybeSent(error)
            }
            throw .notSent(error)
        }
    }

    public func close(sending last: [UInt8]) {
        if !last.isEmpty, writers.takeIfFree() {
            _ = try? socket.call { file in
                last.withUnsafeBytes { send(file, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            }
            writers.release()
        }
        end(.orderly)
    }

    public func reset() { end(.reset) }

    private func end(_ how: StreamSocket.End) {
        socket.close(how)
        place.withLock { $0 = nil }
    }

    /// The address of this end, for example `127.0.0.1:40312`; empty when the connection is closed.
    public var localAddress: String { socket.address(getsockname)?.description ?? "" }
}

/// How a TCP connection finds that its peer is gone.
public struct TCPOptions: Hashable, Sendable {
    /// How long a peer's system may acknowledge nothing while bytes or probes are under way (`TCP_USER_TIMEOUT`).
    public var peerTimeout: Duration
    /// The silence after which the system probes the peer, at least a second.
    public var probeAfter: Duration
    /// The time between two probes without an answer, at least a second.
    public var probeInterval: Duration

    /// Sets the times; those of the probes are at least a second.
    public init(
        peerTimeout: Duration = .seconds(30), probeAfter: Duration = .seconds(15),
        probeInterval: Duration = .seconds(5)
    ) {
        (self.peerTimeout, self.probeAfter, self.probeInterval) = (peerTimeout, probeAfter, probeInterval)
    }

    func apply(to socket: StreamSocket) {
        let tcp = Int32(IPPROTO_TCP)
        socket.set(tcp, TCP_NODELAY, 1)
        socket.set(SOL_SOCKET, SO_KEEPALIVE, 1)
        socket.set(tcp, TCP_KEEPIDLE, Self.seconds(probeAfter))
        socket.set(tcp, TCP_KEEPINTVL, Self.seconds(probeInterval))
        // With TCP_USER_TIMEOUT, the time decides and not the number of probes (tcp(7)).
        socket.set(tcp, TCP_USER_TIMEOUT, max(1, Int(clamping: peerTimeout.wholeMilliseconds)))
    }

    private static func seconds(_ duration: Duration) -> Int {
        Int(min(max(1, duration.components.seconds), 32_767))
    }
}

extension Duration {
    /// The milliseconds, rounded down.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return min(max(-1 << 40, seconds), 1 << 40) * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
