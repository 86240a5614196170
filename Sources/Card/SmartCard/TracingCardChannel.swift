import Synchronization
import Text

/// A card channel that forwards every command and records each exchange with card data masked; see ``TraceRecorder``
/// for what is masked.
public final class TracingCardChannel: PINPadCardChannel {
    private let channel: any CardChannel
    private let recorder: TraceRecorder

    /// - Parameters:
    ///   - channel: the channel to forward to.
    ///   - record: receives the exchanges in order, each before its response is returned.
    public init(_ channel: any CardChannel, record: @escaping @Sendable (TraceEntry) -> Void) {
        (self.channel, recorder) = (channel, TraceRecorder(record))
    }

    public func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        do {
            let response = try await channel.transmit(command)
            recorder.add(command, response)
            return response
        } catch {
            recorder.add(command, error)
            throw error
        }
    }

    /// Whether the underlying channel has a PIN pad.
    public var hasPINPad: Bool { (channel as? any PINPadCardChannel)?.hasPINPad ?? false }

    /// Forwards the PIN entry. The reader builds the PIN block, so the trace shows a VERIFY with masked data and the
    /// outcome.
    public func verifyPIN(_ entry: PINPadEntry) async throws(CardChannelError) -> PINPadAnswer {
        guard let channel = channel as? any PINPadCardChannel else { return .unsupported }
        do throws(CardChannelError) {
            let answer = try await channel.verifyPIN(entry)
            let outcome: TraceEntry.Outcome =
                if case .verified(let status) = answer { .response(status.description) } else { .notSent(answer) }
            recorder.add(TraceEntry(command: Self.verification, outcome: outcome))
            return answer
        } catch {
            recorder.add(TraceEntry(command: Self.verification, outcome: .failure(error)))
            throw error
        }
    }

    /// VERIFY with eight masked bytes.
    private static let verification = "0020008008" + String(repeating: "**", count: 8)
}

/// Turns exchanges with a card into trace entries without card data, and remembers the data to mask.
///
/// These bytes are always masked: the data of VERIFY, CHANGE REFERENCE DATA, and RESET RETRY COUNTER; the values of
/// PAN, expiration date, track, name, and discretionary data objects and of certificates that contain the PAN, both in
/// responses and in issuer scripts; response data with an unknown coding; and the PAN and other card data seen before,
/// wherever they occur again.
public final class TraceRecorder: Sendable {
    private let record: @Sendable (TraceEntry) -> Void
    private let mask = Mutex(TraceMask())

    /// - Parameter record: receives the exchanges in order.
    public init(_ record: @escaping @Sendable (TraceEntry) -> Void) { self.record = record }

    /// Records a command and the card's response.
    public func add(_ command: CommandAPDU, _ response: ResponseAPDU) {
        record(
            mask.withLock { mask in
                // The response first: it may contain the PAN that the command also contains.
                let responseText = mask.text(of: response, to: command)
                return TraceEntry(command: mask.text(of: command), outcome: .response(responseText))
            })
    }

    /// Records a command that got no response.
    public func add(_ command: CommandAPDU, _ error: CardChannelError) {
        record(TraceEntry(command: mask.withLock { $0.text(of: command) }, outcome: .failure(error)))
    }

    /// Records an exchange that is already masked.
    func add(_ masked: TraceEntry) { record(masked) }
}

/// One exchange with a card in a form that is safe to store: hexadecimal digits, with `**` for each masked byte.
public struct TraceEntry: Hashable, Sendable {
    /// The end of the exchange: the card's response, or the reason why there is none.
    public enum Outcome: Hashable, Sendable {
        /// Response data, SW1, SW2.
        case response(String)
        case failure(CardChannelError)
        /// A PIN entry on the reader ended without a PIN, so no command reached the card.
        case notSent(PINPadAnswer)
    }

    public let command: String
    public let outcome: Outcome

    /// One JSON object without a line break: `{"c":"00A404…","r":"6F…9000"}`, or with `"e"` and the
    /// error's text in place of `"r"` when there was no response.
    public var jsonLine: String {
        switch outcome {
        case .response(let response): #"{"c":"\#(command)","r":"\#(response)"}"#
        case .failure(let error): #"{"c":"\#(command)","e":"\#(Self.escaped(error.description))"}"#
        case .notSent(let answer): #"{"c":"\#(command)","e":"\#(Self.escaped(answer.description))"}"#
        }
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": escaped += "\\\""
            case "\\": escaped += "\\\\"
            case "\u{00}"..."\u{1F}": escaped += "\\u00" + ([UInt8(truncatingIfNeeded: scalar.value)]).hexadecimal
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
