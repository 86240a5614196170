internal import Determinism
internal import Hardware

/// One line of `readers watch`.
struct ReaderChange: Encodable, Sendable {
    /// `present`, `arrived`, `left`; with a connection also `connected`, `disconnected`, `recovering`, and the states of
    /// a reconnection: `idle`, `reconnecting`, `succeeded`, `failed`.
    var change: String
    var reader: CardReader?
    /// How often it was tried to open the reader again; 0 as long as it is away.
    var attempt: Int?
    /// When the reader was lost: UTC, RFC 3339.
    var since: String?
    /// Why, or what is done, in a word: `unplugged`.
    var reason: String?
    /// The same as a sentence.
    var message: String?

    static func present(_ reader: CardReader) -> ReaderChange { ReaderChange(change: "present", reader: reader) }
    static func arrived(_ reader: CardReader) -> ReaderChange { ReaderChange(change: "arrived", reader: reader) }
    static func left(_ reader: CardReader) -> ReaderChange { ReaderChange(change: "left", reader: reader) }
    static func connected(_ reader: CardReader) -> ReaderChange { ReaderChange(change: "connected", reader: reader) }

    static func disconnected(_ reason: DisconnectReason) -> ReaderChange {
        ReaderChange(change: "disconnected", reason: reason.code, message: reason.description)
    }

    static func recovering(_ step: ReaderRecoveryStep) -> ReaderChange {
        ReaderChange(change: "recovering", reason: step.rawValue, message: step.description)
    }

    static func reconnection(_ state: CardReaderReconnectionState) -> ReaderChange {
        switch state {
        case .idle: ReaderChange(change: "idle")
        case .reconnecting(let reader, let attempt, let since):
            ReaderChange(change: "reconnecting", reader: reader, attempt: attempt, since: since.description)
        case .succeeded(let reader): ReaderChange(change: "succeeded", reader: reader)
        case .failed(let reader, let failure):
            ReaderChange(
                change: "failed", reader: reader, reason: failure.code, message: failure.description)
        }
    }

    /// What there is to say beside the word.
    var text: String {
        if let message { return message }
        if let attempt, let since {
            return attempt == 0 ? "waiting for the reader, lost at \(since)" : "attempt \(attempt)"
        }
        return reader.map { String($0.line.dropLast()) } ?? ""
    }
}

extension CardReaderReconnectionFailure {
    /// A word for it.
    fileprivate var code: String {
        switch self {
        case .gaveUp: "gave_up"
        case .refused: "refused"
        case .cancelled: "cancelled"
        }
    }
}
