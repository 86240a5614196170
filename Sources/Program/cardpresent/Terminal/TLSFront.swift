import Connections
import Determinism

/// Takes TLS connections of other machines, and passes their bytes to a server that listens on this machine only.
final class TLSFront: Sendable {
    /// Where it listens.
    let address: TCPAddress
    private let listener: TCPListener
    private let serving: Task<Void, Never>

    private init(_ listener: TCPListener, _ serving: Task<Void, Never>) {
        (address, self.listener, self.serving) = (listener.address, listener, serving)
    }

    /// How long a connection may be quiet. A till's request may wait for a card.
    private static let quiet = Duration.seconds(600)
    /// How long the server, which is on this machine, may take to accept.
    private static let patience = Duration.seconds(10)

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - address: where; port 0 is any free one.
    ///   - tls: the certificate.
    ///   - port: the port of the server on this machine.
    ///   - time: measures the deadlines.
    /// - Returns: the front, which listens.
    /// - Throws: `ConnectionFailure`
    static func start(
        _ address: TCPAddress, _ tls: TLSServer, to port: UInt16, time: any TimeSource
    ) async throws(ConnectionFailure) -> TLSFront {
        let listener = try await TCPListener.open(address, deadline: Deadline(after: patience, on: time), time: time)
        let server = TCPAddress(host: "127.0.0.1", port: port)
        let serving = Task {
            // The end of the listener is the end of the front.
            do throws(ConnectionFailure) {
                try await listener.serve(tls: tls) { client in
                    let deadline = Deadline(after: patience, on: time)
                    let inner = try? await TCPConnector(time: time).connect(to: server, deadline: deadline)
                    if let inner { await pass(client, inner, time) }
                }
            } catch {}
        }
        return TLSFront(listener, serving)
    }

    /// Passes bytes both ways until one side ends.
    private static func pass(
        _ client: any ByteConnection, _ inner: any ByteConnection, _ time: any TimeSource
    ) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await pump(client, inner, time) }
            group.addTask { await pump(inner, client, time) }
            await group.next()
            group.cancelAll()
        }
        inner.close()
    }

    private static func pump(_ source: any ByteConnection, _ sink: any ByteConnection, _ time: any TimeSource) async {
        while let bytes = try? await source.read(upTo: 16 << 10, deadline: Deadline(after: quiet, on: time)) {
            let deadline = Deadline(after: patience, on: time)
            guard (try? await sink.write(bytes, deadline: deadline)) != nil else { return }
        }
    }

    /// Takes no more connections, and ends the others.
    func stop() async {
        listener.close()
        serving.cancel()
        await serving.value
    }
}
