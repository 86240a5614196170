import Connections
import Determinism
import Synchronization

/// A network between a client and the server that can be cut in the middle of a message, in either direction.
final class CuttableProxy: Sendable {
    enum Cut: Sendable {
        /// What the client sends next does not arrive.
        case beforeServer
        /// What the client sends next arrives, and its answer does not.
        case beforeClient
    }

    let port: UInt16
    private let listener: TCPListener
    private let cut = Mutex<Cut?>(nil)

    init(to port: UInt16) async throws {
        let time = SystemTimeSource()
        let listener = try await TCPListener.open(
            TCPAddress(host: "127.0.0.1", port: 0), deadline: .soon, time: time)
        (self.listener, self.port) = (listener, listener.address.port)
        Task { [weak self] in
            while let client = try? await listener.accept() {
                let server = try await TCPConnector(time: time).connect(
                    to: TCPAddress(host: "127.0.0.1", port: port), deadline: .soon)
                guard let self else { return }
                Task { await self.pass(from: client, to: server, stopping: .beforeServer) }
                Task { await self.pass(from: server, to: client, stopping: .beforeClient) }
            }
        }
    }

    deinit { listener.close() }

    /// Cuts the connection at the next message.
    func cut(_ place: Cut) { cut.withLock { $0 = place } }

    private func pass(from source: TCPConnection, to sink: TCPConnection, stopping place: Cut) async {
        while let bytes = try? await source.read(upTo: 65_536, deadline: .soon) {
            if cut.withLock({ $0 == place }) { break }
            guard (try? await sink.write(bytes, deadline: .soon)) != nil else { break }
        }
        source.close()
        sink.close()
    }
}
