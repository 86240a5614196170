import ArgumentParser
import Determinism
import Hardware
import TillConfiguration

/// `readers watch`
struct WatchReaders: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Watch readers being connected and disconnected.",
        discussion: """
            EXAMPLES:
              cardpresent readers watch
              cardpresent readers watch --connect --json

            Runs until Ctrl-C. With --json, each line is a JSON object. With --connect, keeps a reader open and also \
            reports when the connection is lost and why, and the state of the reconnection (idle, reconnecting, \
            succeeded, failed). Exits with 5 when the reconnection fails.
            """)

    @Flag(help: "Connect to a reader, and reconnect when the connection is lost.")
    var connect = false
    @Option(
        help: ArgumentHelp(
            "ID of the reader to connect, as shown by 'readers list'. Default: the last used or first reader.",
            valueName: "reader"))
    var reader: String?
    @OptionGroup var bus: BusOptions
    @OptionGroup var options: CommonOptions

    func validate() throws {
        guard connect || reader == nil else { throw ValidationError("--reader requires --connect") }
    }

    func execute() async throws {
        let settings = try options.till.settings()
        let source: any CardReaderSource =
            bus.pcsc
            ? PCSCReaderSource()
            : try bus.source(settings)
        let changes = source.changes()
        let cancellation = Cancellation()
        try await CancellationSignals.watching(endsWithOutput: true, untilExit: true) {
            let watching = Task { try await watch(changes, of: source) }
            defer { watching.cancel() }
            guard connect else {
                await cancellation.onRequest { watching.cancel() }
                return try await watching.value
            }
            try await keep(source, settings, cancellation)
        } onSignal: {
            await cancellation.request()
        }
    }

    private func keep(
        _ source: any CardReaderSource, _ settings: TillConfiguration, _ cancellation: Cancellation
    ) async throws {
        let remembered = RememberedReaders.known(options.till.data)
        let keeper = ReaderKeeper(source, reconnection: settings.reconnection) { change throws(CommandFailure) in
            try tell(change)
        }
        let keeping = Task {
            try await keeper.run { found in
                guard let reader else { return found.preferred(remembered) }
                return found.first { $0.id == reader }
            } onConnected: { reader throws(CommandFailure) in
                guard !bus.simulated else { return }
                try RememberedReaders(options.till.data, for: Self.databaseUse).remember(
                    id: reader.id, name: reader.name)
            }
        }
        await cancellation.onRequest {
            await keeper.cancelReconnection()
            keeping.cancel()
        }
        try await keeping.value
    }

    private func watch(
        _ changes: any AsyncSequence<CardReaderChange, Never> & Sendable, of source: any CardReaderSource
    ) async throws {
        for reader in try await ReaderCatalog.readers(of: source) { try tell(.present(reader)) }
        for await change in changes {
            switch change {
            case .arrived(let reader): try tell(.arrived(reader))
            case .left(let reader): try tell(.left(reader))
            }
        }
    }

    private func tell(_ change: ReaderChange) throws(CommandFailure) {
        guard !output.json else { return try StandardOutput.write(line: change.json) }
        try StandardOutput.write(change.word.padded(to: connect ? 14 : 8) + change.text + "\n")
    }
}

/// A line of `readers watch`.
enum ReaderChange: Sendable {
    case present(CardReader)
    case arrived(CardReader)
    case left(CardReader)
    case connected(CardReader)
    case disconnected(DisconnectReason)
    case recovering(ReaderRecoveryStep)
    case reconnection(CardReaderReconnectionState)

    /// The keyword of the change.
    var word: String {
        switch self {
        case .present: "present"
        case .arrived: "arrived"
        case .left: "left"
        case .connected: "connected"
        case .disconnected: "disconnected"
        case .recovering: "recovering"
        case .reconnection(.idle): "idle"
        case .reconnection(.reconnecting): "reconnecting"
        case .reconnection(.succeeded): "succeeded"
        case .reconnection(.failed): "failed"
        }
    }

    var json: JSONObject {
        let details: JSONObject =
            switch self {
            case .present(let reader), .arrived(let reader), .left(let reader), .connected(let reader),
                .reconnection(.succeeded(let reader)):
                ["reader": reader]
            case .disconnected(let reason): ["reason": reason.code, "message": reason.description]
            case .recovering(let step): ["reason": step.rawValue, "message": step.description]
            case .reconnection(.idle): [:]
            case .reconnection(.reconnecting(let reader, let attempt, let since)):
                // The attempt is 0 while the reader is disconnected.
                ["reader": reader, "attempt": attempt, "since": since.description]
            case .reconnection(.failed(let reader, let failure)):
                ["reader": reader, "reason": failure.code, "message": failure.description]
            }
        return JSONObject(extending: details, with: ["change": word])
    }

    /// The text after the keyword.
    var text: String {
        switch self {
        case .present(let reader), .arrived(let reader), .left(let reader), .connected(let reader),
            .reconnection(.succeeded(let reader)):
            String(reader.line.dropLast())
        case .disconnected(let reason): reason.description
        case .recovering(let step): step.description
        case .reconnection(.idle): ""
        case .reconnection(.reconnecting(_, 0, let since)): "waiting for the reader, lost at \(since)"
        case .reconnection(.reconnecting(_, let attempt, _)): "attempt \(attempt)"
        case .reconnection(.failed(_, let failure)): failure.description
        }
    }
}

extension CardReaderReconnectionFailure {
    /// The keyword in JSON.
    fileprivate var code: String {
        switch self {
        case .gaveUp: "gave_up"
        case .refused: "refused"
        case .canceled: "cancelled"
        }
    }
}
