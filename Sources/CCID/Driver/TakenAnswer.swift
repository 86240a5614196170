/// What is kept of the answer that was taken last, to know a second one to the same message.
struct TakenAnswer {
    private let slot: UInt8
    private let sequence: UInt8
    /// Of the whole message, which may hold what a card said and is not kept.
    private let digest: Int

    init(_ header: CCIDResponseHeader, _ message: [UInt8]) {
        (slot, sequence, digest) = (header.slot, header.sequence, message.hashValue)
    }

    /// Whether an answer is to the same message and not the same answer. Then one of the two was another program's, and
    /// nobody knows which; a reader that sends an answer twice sends the same.
    func isContradicted(by header: CCIDResponseHeader, _ message: [UInt8]) -> Bool {
        header.slot == slot && header.sequence == sequence && message.hashValue != digest
    }
}
