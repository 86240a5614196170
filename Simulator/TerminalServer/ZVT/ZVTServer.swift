import CardSecrets
import Connections
public import Determinism
import Files
import Glibc
public import HTTPListening
import Money
import Sessions
public import Terminal
public import ZVT

/// How long the tills of a ``ZVTServer`` may take.
struct ZVTServerLimits: Sendable {
    /// The longest silence of a till. Time-outs within a dialog are shorter.
    var silence = Duration.seconds(3600)
    /// The till's answer to a message, and the rest of a message after its first byte (T3).
    var answer = Duration.seconds(5)
    /// A request without progress (T4).
    var dialog = Duration.seconds(180)
    /// The open connections. When one more comes, the one that is silent for the longest time is closed, so that tills
    /// that say nothing lock no other out.
    var connections = 16
    /// Connections beyond these wait: those that are being closed still count.
    var accepted: Int { 2 * connections }
}

/// A terminal that speaks ZVT on the connections of a ``ZVTServer``.
protocol ZVTSpeaker: Sendable {
    /// Serves a till until either side ends the connection.
    func serve(_ connection: any ByteConnection) async
    /// Waits until no command runs, for so long at most.
    func rest(within limit: Duration) async
    /// Ends what runs.
    func close() async
}

/// Serves one terminal over TCP to tills that speak ZVT.
///
/// A till has the terminal for a command; a second one gets "please wait" (84 9C) until its end.
public final class ZVTServer: Sendable {
    private let listener: TCPListener
    private let terminal: any ZVTSpeaker
    private let serving: Task<Void, Never>

    /// The port on which the server listens.
    public var port: Int { Int(listener.address.port) }
    /// The address for tills, as `HOST:PORT`.
    public var address: String { "\(listener.address)" }

    /// The terminal ID (BMP 29) as eight digits.
    public static let terminalID = "00000001"
    /// The password of the terminal, as six digits.
    public static let password = "000000"
    /// The code of the currency (ISO 4217).
    public static let currency = "EUR"

    private init(_ listener: TCPListener, _ terminal: any ZVTSpeaker, _ serving: Task<Void, Never>) {
        (self.listener, self.terminal, self.serving) = (listener, terminal, serving)
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - seed: the seed of the reader and its cards.
    ///   - host: the address to listen at; `127.0.0.1` accepts only this machine.
    ///   - port: the port; 0 for any free one.
    ///   - time: measures the time-outs of the protocol.
    ///   - start: when the simulated time begins.
    ///   - onPrint: called with each receipt of the terminal's own printer. It must not wait.
    /// - Returns: the listening server.
    /// - Throws: `HTTPListenerError`
    public static func start(
        seed: UInt64, host: String = "127.0.0.1", port: Int = 0, time: any TimeSource,
        start: Timestamp = VirtualTimeSource.standardStart,
        onPrint: @escaping @Sendable (TerminalReceipt) -> Void = { _ in }
    ) async throws(HTTPListenerError) -> ZVTServer {
        try await Self.start(
            seed: seed, host: host, port: port, time: time, start: start, limits: ZVTServerLimits(), onPrint: onPrint)
    }

    /// Starts a server of a terminal whose reader others drive.
    ///
    /// - Parameters:
    ///   - counter: drives the reader.
    ///   - host: the address to listen at; `127.0.0.1` accepts only this machine.
    ///   - port: the port; 0 for any free one.
    ///   - time: measures the time-outs of the protocol.
    ///   - start: when the simulated time begins.
    ///   - onPrint: called with each receipt of the terminal's own printer. It must not wait.
    /// - Returns: the listening server.
    /// - Throws: `HTTPListenerError`
    public static func start(
        _ counter: any DrivenCounter, host: String, port: Int, time: any TimeSource, start: Timestamp,
        onPrint: @escaping @Sendable (TerminalReceipt) -> Void
    ) async throws(HTTPListenerError) -> ZVTServer {
        try await Self.start(
            counter, host: host, port: port, time: time, start: start, limits: ZVTServerLimits(), onPrint: onPrint)
    }

    static func start(
        seed: UInt64, host: String, port: Int, time: any TimeSource, start: Timestamp, limits: ZVTServerLimits,
        onPrint: @escaping @Sendable (TerminalReceipt) -> Void
    ) async throws(HTTPListenerError) -> ZVTServer {
        let plan: SessionPlan
        do { plan = try ZVTTestAmount.plan(seed: seed, start: start) } catch {
            throw HTTPListenerError(host: host, port: port, reason: "\(error)")
        }
        return try await Self.start(
            SimulatedCounter(plan, givesReceipts: true), host: host, port: port, time: time, start: start,
            limits: limits, onPrint: onPrint)
    }

    private static func start(
        _ counter: any DrivenCounter, host: String, port: Int, time: any TimeSource, start: Timestamp,
        limits: ZVTServerLimits, onPrint: @escaping @Sendable (TerminalReceipt) -> Void
    ) async throws(HTTPListenerError) -> ZVTServer {
        let terminal: SimulatedZVTTerminal
        do {
            terminal = SimulatedZVTTerminal(
                try options(limits), counter, start: start, limits, time: time, onPrint: onPrint)
        } catch { throw HTTPListenerError(host: host, port: port, reason: "\(error)") }
        return try await listen(terminal, host: host, port: port, limits, time: time)
    }

    /// Starts a server of the terminal of this machine's reader.
    ///
    /// - Parameters:
    ///   - options: the terminal.
    ///   - counter: drives the reader.
    ///   - own: what the terminal kept, and where it keeps more.
    ///   - host: the address to listen at.
    ///   - port: the port; 0 for any free one.
    ///   - wall: measures the time-outs of the protocol.
    ///   - time: the time of payments.
    /// - Returns: the listening server.
    /// - Throws: `HTTPListenerError`
    public static func start(
        _ options: ZVTTerminalOptions, _ counter: any TerminalCounter, _ own: OwnTerminal, host: String, port: Int,
        wall: any TimeSource, time: any TimeSource
    ) async throws(HTTPListenerError) -> ZVTServer {
        let limits = ZVTServerLimits()
        let terminal = OwnZVTTerminal(options, counter, own, limits, wall: wall, time: time)
        // What did not arrive before is taken back before the first till.
        await terminal.begin()
        do throws(HTTPListenerError) {
            return try await listen(terminal, host: host, port: port, limits, time: wall)
        } catch {
            await terminal.close()
            throw error
        }
    }

    private static func listen(
        _ terminal: any ZVTSpeaker, host: String, port: Int, _ limits: ZVTServerLimits, time: any TimeSource
    ) async throws(HTTPListenerError) -> ZVTServer {
        let listener: TCPListener
        do throws(ConnectionFailure) {
            listener = try await TCPListener.open(
                TCPAddress(host: host, port: UInt16(clamping: port)), connectionLimit: limits.accepted,
                deadline: Deadline(after: .seconds(10), on: time), time: time)
        } catch { throw refusal(host, port, error) }
        let serving = Task {
            // It ends when the listener is closed.
            do throws(ConnectionFailure) { try await listener.serve { await terminal.serve($0) } } catch {}
        }
        return ZVTServer(listener, terminal, serving)
    }

    private static func options(_ limits: ZVTServerLimits) throws -> ZVTTerminalOptions {
        var options = ZVTTerminalOptions(
            till: TillID(rawValue: "zvt"), terminalID: Int64(terminalID) ?? 1, currency: try Currency(code: currency),
            password: ZVTSecret(SensitiveBytes([0, 0, 0])), version: "CardPresent", keyPrefix: "zvt")
        options.contractNumber = "100000000000001"
        (options.answerTimeout, options.dialogTimeout) = (limits.answer, limits.dialog)
        return options
    }

    private static func refusal(_ host: String, _ port: Int, _ failure: ConnectionFailure) -> HTTPListenerError {
        guard case .notListening(_, let reason) = failure else {
            return HTTPListenerError(host: host, port: port, reason: "\(failure)")
        }
        let isHost = reason == FileError(code: EADDRNOTAVAIL).description
        return HTTPListenerError(host: host, port: port, reason: reason, isAboutPort: !isHost)
    }

    /// Stops the server and closes its connections.
    ///
    /// - Parameter limit: how long a running command may take to end. Zero cuts it off.
    public func stop(within limit: Duration = .zero) async {
        await terminal.rest(within: limit)
        listener.close()
        await serving.value
        await terminal.close()
    }

    /// Waits until the server has stopped.
    public func finished() async { await serving.value }
}
