/// A card and the reader in front of it, as a function: a block in, the answer out, at once.
struct InstantCard: Sendable {
    /// What is exchanged.
    enum Block: Sendable {
        /// A TPDU or an APDU: the answer is the same whatever comes.
        case plain
        /// A T=1 block: the answer carries the sequence number that it must.
        case t1
    }

    private let kind: Block
    private let response: [UInt8]

    // The response is data and status word.
    init(_ kind: Block, response: [UInt8]) { (self.kind, self.response) = (kind, response) }

    func answer(_ block: [UInt8]) -> [UInt8] {
        guard kind == .t1, block.count >= 4 else { return response }
        // S(IFS request) is agreed to; an I-block is answered by one with the same sequence number, because
        // card and host have sent as many.
        var answer: [UInt8] =
            block[1] == 0xC1 ? [0, 0xE1, 1, block[3]] : [0, block[1] & 0x40, UInt8(response.count)] + response
        answer.append(answer.reduce(0, ^))
        return answer
    }
}
