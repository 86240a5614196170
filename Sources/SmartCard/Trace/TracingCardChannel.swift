/// A card channel that passes everything on and hands each exchange, masked, to a recorder; ``TraceRecorder`` says
/// what is masked.
public final class TracingCardChannel: PINPadCardChannel {
    private let channel: any CardChannel
    private let recorder: TraceRecorder

    /// - Parameters:
    ///   - channel: where commands go.
    ///   - record: takes the exchanges, one by one, in their order. It is called before the answer is
    ///     handed on.
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

    /// Whether the channel below has a PIN pad.
    public var hasPINPad: Bool { (channel as? any PINPadCardChannel)?.hasPINPad ?? false }

    /// Passes the entry on. The reader makes the PIN block, so that there is none to record: the trace shows the
    /// VERIFY that the card gets with its data hidden, and what came of it.
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

    /// VERIFY with eight bytes that nobody may see.
    private static let verification = "0020008008" + String(repeating: "**", count: 8)
}
