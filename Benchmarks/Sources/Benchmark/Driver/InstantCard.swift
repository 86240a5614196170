/// A card and its reader as a function from a block to its response.
struct InstantCard: Sendable {
    /// The unit of an exchange.
    enum Block: Sendable {
        /// A TPDU or an APDU. Every command gets the same response.
        case plain
        /// A T=1 block. The response has the correct sequence number.
        case t1
    }

    private let kind: Block
    private let response: [UInt8]

    // The response consists of data and a status word.
    init(_ kind: Block, response: [UInt8]) { (self.kind, self.response) = (kind, response) }

    func answer(_ block: [UInt8]) -> [UInt8] {
        guard kind == .t1, block.count >= 4 else { return response }
        // Accepts S(IFS request). Answers an I-block with the same sequence number, because card and host
        // have sent the same number of blocks.
        var answer: [UInt8] =
            block[1] == 0xC1 ? [0, 0xE1, 1, block[3]] : [0, block[1] & 0x40, UInt8(response.count)] + response
        answer.append(answer.reduce(0, ^))
        return answer
    }
}
