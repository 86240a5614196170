internal import Synchronization

/// Turns exchanges with a card into trace entries without card data, and remembers what it has to hide.
///
/// These bytes never get into a trace: the data of VERIFY, CHANGE REFERENCE DATA and RESET RETRY COUNTER;
/// the values of PAN, expiry, track, name and discretionary data objects, and of certificates that carry the PAN,
/// whether the card tells them or the issuer writes them; response data whose coding is not understood; and, wherever they turn up later, the PAN and the other
/// card data that were seen.
public final class TraceRecorder: Sendable {
    private let record: @Sendable (TraceEntry) -> Void
    private let mask = Mutex(TraceMask())

    /// - Parameter record: takes the exchanges, one by one, in their order.
    public init(_ record: @escaping @Sendable (TraceEntry) -> Void) { self.record = record }

    /// A command and the card's answer.
    public func add(_ command: CommandAPDU, _ response: ResponseAPDU) {
        record(
            mask.withLock { mask in
                // The response first: it may hold the PAN that the command already spoke of.
                let responseText = mask.text(of: response, to: command)
                return TraceEntry(command: mask.text(of: command), outcome: .response(responseText))
            })
    }

    /// A command that got no answer.
    public func add(_ command: CommandAPDU, _ error: CardChannelError) {
        record(TraceEntry(command: mask.withLock { $0.text(of: command) }, outcome: .failure(error)))
    }

    /// An exchange that is written down without card data already.
    func add(_ masked: TraceEntry) { record(masked) }
}
