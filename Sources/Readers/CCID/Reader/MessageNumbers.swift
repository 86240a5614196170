/// The sequence numbers of a reader's messages (bSeq, CCID 1.1 §6.1). Numbers wrap around after 255. Numbers that may
/// still be answered are left out: a late answer must not pass for the answer to a newer message.
struct MessageNumbers {
    /// A summary of the last accepted answer, to recognize a second one to the same message.
    private struct LastResponse {
        let slot: UInt8
        let sequence: UInt8
        /// A hash of the whole message, which may contain card data and is not stored.
        let digest: Int
    }

    private var sequence: UInt8 = 0
    /// Numbers of messages that may still be answered: the one in progress, and those that were given up without the
    /// reader's confirmation.
    private var unanswered: Set<UInt8> = []
    private var lastResponse: LastResponse?

    /// The number of the next message.
    var next: UInt8 {
        var number = sequence
        while unanswered.contains(number), unanswered.count < 256 { number &+= 1 }
        return number
    }

    /// Returns the number of the next message and counts on.
    mutating func take() -> UInt8 {
        let number = next
        sequence = number &+ 1
        unanswered.insert(number)
        return number
    }

    /// Makes `number` the next number again. An abort message must carry the number of its abort request (CCID 1.1
    /// §5.3.1), also when it is sent a second time.
    mutating func reuse(_ number: UInt8) {
        unanswered.remove(number)
        sequence = number
    }

    /// Notes that the message was answered and the answer is not kept.
    mutating func noteAnswer(to number: UInt8) { unanswered.remove(number) }

    /// Notes the answer to the message in progress.
    mutating func noteAnswer(_ header: CCIDResponseHeader, _ message: [UInt8]) {
        unanswered.remove(header.sequence)
        lastResponse = LastResponse(slot: header.slot, sequence: header.sequence, digest: message.hashValue)
    }

    /// Notes an answer to an earlier message.
    ///
    /// - Throws: ``CCIDError/answeredTwice(_:)`` when that message had a different answer before. One of the two
    ///   belongs to another program, and it is unknown which; a reader that repeats an answer sends the same bytes.
    mutating func noteStale(_ header: CCIDResponseHeader, _ message: [UInt8]) throws(CCIDError) {
        guard unanswered.remove(header.sequence) == nil, let last = lastResponse else { return }
        guard header.slot == last.slot, header.sequence == last.sequence, message.hashValue != last.digest else {
            return
        }
        throw .answeredTwice(header.sequence)
    }

    /// Forgets all unanswered messages: the reader has confirmed that it dropped them, or was reset.
    mutating func forgetUnanswered() { unanswered = [] }
}
