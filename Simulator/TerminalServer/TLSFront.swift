public import Connections
public import Determinism
public import HTTPListening

/// Takes TLS connections and passes their bytes to a server of this process that has none: the acquirer's wire in front
/// of the HTTP listener, whose limits hold for these connections, too.
public final class TLSFront: Sendable {
    private let listener: TCPListener
    private let serving: Task<Void, Never>

    /// Where it listens.
    public var address: TCPAddress { listener.address }

    /// The most connections at a time. Further clients wait until one ends.
    private static let connections = 256
    /// How long a client may take to read a piece, and the server to be reached.
    private static let patience = Duration.seconds(30)
    /// The bytes that are passed on at once.
    private static let piece = 16_384

    private init(_ listener: TCPListener, _ serving: Task<Void, Never>) {
        (self.listener, self.serving) = (listener, serving)
    }

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - tls: the server's side of TLS.
    ///   - address: where to listen; port 0 takes any free one.
    ///   - server: where the bytes go.
    ///   - time: measures the deadlines.
    /// - Returns: the listening front.
    /// - Throws: `HTTPListenerError`
    public static func start(
        _ tls: TLSServer, at address: TCPAddress, before server: TCPAddress, time: any TimeSource
    ) async throws(HTTPListenerError) -> TLSFront {
        let listener: TCPListener
        do throws(ConnectionFailure) {
            listener = try await TCPListener.open(
                address, connectionLimit: connections, deadline: Deadline(after: .seconds(10), on: time), time: time)
        } catch {
            throw HTTPListenerError(
                host: address.host, port: Int(address.port), reason: "\(error)", isAboutPort: true)
        }
        let serving = Task {
            do throws(ConnectionFailure) {
                try await listener.serve(tls: tls) { client in await relay(client, to: server, time) }
            } catch {
                // The listener was closed, and its clients with it.
            }
        }
        return TLSFront(listener, serving)
    }

    /// Stops to listen, and closes the connections.
    public func stop() async {
        listener.close()
        serving.cancel()
        await serving.value
    }

    /// Passes bytes in both directions until one side ends.
    private static func relay(_ client: any ByteConnection, to server: TCPAddress, _ time: any TimeSource) async {
        let connector = TCPConnector(time: time)
        guard let inner = try? await connector.connect(to: server, deadline: Deadline(after: patience, on: time))
        else { return }
        await withDiscardingTaskGroup { group in
            group.addTask {
                await pass(from: client, to: inner, time)
                inner.close()
                client.close()
            }
            await pass(from: inner, to: client, time)
            client.close()
            inner.close()
        }
    }

    /// Passes bytes on until the stream ends. The server behind ends connections that are silent for too long.
    private static func pass(
        from source: any ByteConnection, to target: any ByteConnection, _ time: any TimeSource
    ) async {
        while let bytes = try? await source.read(upTo: piece, deadline: .never) {
            do throws(WriteFailure) {
                try await target.write(bytes, deadline: Deadline(after: patience, on: time))
            } catch { return }
        }
    }
}
