import Connections
import Determinism
import HTTPListening
import TerminalServer

/// A terminal that tills of one protocol reach: its server, and what takes its TLS connections.
struct TillServer: Sendable {
    let till: TillProtocol
    /// Where tills find it: a base address without a slash at the end, or HOST:PORT for ZVT.
    let address: String
    /// The base address of nexo without TLS; nil for the other protocols.
    var plainAddress: String?
    fileprivate let server: any StoppableServer
    fileprivate var front: TLSFront?

    init(_ till: TillProtocol, address: String, plainAddress: String? = nil, server: any StoppableServer) {
        (self.till, self.address, self.plainAddress, self.server) = (till, address, plainAddress, server)
    }

    /// Puts TLS before a server of this machine.
    ///
    /// - Parameters:
    ///   - till: the protocol.
    ///   - server: the server, which is stopped when this throws.
    ///   - inner: the port at which it listens at 127.0.0.1.
    ///   - tls: the server's side of TLS.
    ///   - host: where to listen.
    ///   - port: the port; 0 for any free one.
    ///   - time: the wall clock.
    /// - Returns: the terminal.
    /// - Throws: `HTTPListenerError`
    static func fronted(
        _ till: TillProtocol, _ server: any StoppableServer, at inner: Int, _ tls: TLSServer, host: String, port: Int,
        time: any TimeSource
    ) async throws(HTTPListenerError) -> TillServer {
        do throws(HTTPListenerError) {
            let front = try await TLSFront.start(
                tls, at: TCPAddress(host: host, port: UInt16(clamping: port)),
                before: TCPAddress(host: "127.0.0.1", port: UInt16(clamping: inner)), time: time)
            let address = till == .zvt ? "\(front.address)" : "https://\(front.address)"
            var fronted = TillServer(till, address: address, server: server)
            fronted.front = front
            return fronted
        } catch {
            await server.stop(within: .zero)
            throw error
        }
    }
}

/// The servers of `terminal`: one for each protocol, at one reader.
final class TillServers: StoppableServer {
    let all: [TillServer]

    private init(_ all: [TillServer]) { self.all = all }

    /// Starts servers one after another. The started ones stop when one does not start.
    ///
    /// - Throws: `HTTPListenerError`
    static func start(
        _ tills: [TillProtocol], _ start: (TillProtocol) async throws(HTTPListenerError) -> TillServer
    ) async throws(HTTPListenerError) -> TillServers {
        var started: [TillServer] = []
        for till in tills {
            do throws(HTTPListenerError) { started.append(try await start(till)) } catch {
                await TillServers(started).stop(within: .zero)
                throw error
            }
        }
        return TillServers(started)
    }

    func stop(within limit: Duration) async {
        // At the same time, so that each has the whole limit.
        await withTaskGroup(of: Void.self) { group in
            for server in all {
                group.addTask {
                    await server.server.stop(within: limit)
                    await server.front?.stop()
                }
            }
        }
    }

    func finished() async { for server in all { await server.server.finished() } }
}
