import Connections
import Determinism
import Synchronization

/// A network between a lane and the server that loses messages by chance: a request before it arrives, or an answer
/// after the server has committed. It is whole again when its losses are used up.
final class FailingNetwork: Sendable {
    let port: UInt16
    private let listener: TCPListener
    private let random: any RandomSource
    private let left: Mutex<Int>

    /// - Parameters:
    ///   - port: the server's port at 127.0.0.1.
    ///   - losses: how many messages it loses.
    ///   - seed: decides which.
    /// - Throws: `ConnectionFailure` when it can't listen.
    init(to port: UInt16, losses: Int, seed: UInt64) async throws {
        left = Mutex(losses)
        random = SeededRandomSource(seed: seed)
        let time = SystemTimeSource()
        let deadline = FleetBench.soon
        listener = try await TCPListener.open(
            TCPAddress(host: "127.0.0.1", port: 0), deadline: deadline, time: time)
        self.port = listener.address.port
        Task { [weak self, listener] in
            let connector = TCPConnector(time: time)
            while let lane = try? await listener.accept() {
                let server = try await connector.connect(
                    to: TCPAddress(host: "127.0.0.1", port: port), deadline: deadline)
                guard let network = self else { return }
                for (one, other) in [(lane, server), (server, lane)] {
                    Task { await network.carry(from: one, to: other) }
                }
            }
        }
    }

    deinit { listener.close() }

    /// How many messages it will lose.
    var losses: Int { left.withLock { $0 } }

    private func carry(from one: TCPConnection, to other: TCPConnection) async {
        while let message = try? await one.read(upTo: 1 << 20, deadline: FleetBench.soon), !isLost() {
            guard (try? await other.write(message, deadline: FleetBench.soon)) != nil else { break }
        }
        for end in [one, other] { end.close() }
    }

    private func isLost() -> Bool {
        left.withLock { left in
            guard left > 0, random.number(in: 0...3) == 0 else { return false }
            left -= 1
            return true
        }
    }
}
