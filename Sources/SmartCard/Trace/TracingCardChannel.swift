internal import Synchronization

/// A card channel that passes everything on and hands each exchange, masked, to a recorder.
///
/// These bytes never get into a trace: the data of VERIFY, CHANGE REFERENCE DATA and RESET RETRY COUNTER;
/// the values of PAN, track, name and discretionary data objects, and of certificates that carry the PAN;
/// response data whose coding is not understood; and, wherever they turn up later, the PAN and the other
/// card data that were seen.
public final class TracingCardChannel: PINPadCardChannel {
    private let channel: any CardChannel
    private let record: @Sendable (TraceEntry) -> Void
    private let mask = Mutex(TraceMask())

    /// - Parameters:
    ///   - channel: where commands go.
    ///   - record: takes the exchanges, one by one, in their order. It is called before the answer is
    ///     handed on.
    public init(_ channel: any CardChannel, record: @escaping @Sendable (TraceEntry) -> Void) {
        (self.channel, self.record) = (channel, record)
    }

    public func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        do {
            let response = try await channel.transmit(command)
            record(
                mask.withLock { mask in
                    // The response first: it may hold the PAN that the command already spoke of.
                    let responseText = mask.text(of: response, to: command)
                    return TraceEntry(command: mask.text(of: command), outcome: .response(responseText))
                })
            return response
        } catch {
            record(
                TraceEntry(command: mask.withLock { $0.text(of: command) }, outcome: .failure(error)))
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
            record(TraceEntry(command: Self.verification, outcome: outcome))
            return answer
        } catch {
            record(TraceEntry(command: Self.verification, outcome: .failure(error)))
            throw error
        }
    }

    /// VERIFY with eight bytes that nobody may see.
    private static let verification = "0020008008" + String(repeating: "**", count: 8)
}
