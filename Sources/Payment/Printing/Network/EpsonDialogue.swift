/// The status queries of an ESC/POS printer, and the parsing of its answers (Epson, ESC/POS command reference: DLE EOT,
/// GS I, GS r, GS ( H).
struct EpsonDialogue: PrinterDialogue {
    /// DLE EOT 1 to 4: printer status, offline cause, error cause, paper. The printer answers at once, even while it
    /// prints or is offline.
    private static func status(_ number: UInt8) -> [UInt8] { [0x10, 0x04, number] }
    /// GS I 67: the model name.
    private static let model: [UInt8] = [0x1D, 0x49, 67]
    /// GS r 1: all printers of this family answer it after they have processed everything before it.
    private static let paper: [UInt8] = [0x1D, 0x72, 1]

    /// GS ( H, function 48: the printer answers with the four characters after it has printed everything before them.
    /// Only Epson's own printers support it; others would print it as text.
    private static func processID(_ id: [UInt8]) -> [UInt8] { [0x1D, 0x28, 0x48, 6, 0, 48, 48] + id }

    func condition(_ conversation: inout PrinterConversation) async throws(PrinterLinkError) -> PrinterCondition? {
        var answers: [UInt8] = []
        for number: UInt8 in 1...4 {
            guard
                let answer = try await conversation.answer(
                    to: Self.status(number), { $0.last(where: Self.isRealTimeStatus) })
            else {
                return nil
            }
            answers.append(answer)
        }
        return Self.condition(answers)
    }

    func model(_ conversation: inout PrinterConversation) async throws(PrinterLinkError) -> String? {
        try await conversation.answer(to: Self.model + Self.paper) { Self.identity($0) }?.name
    }

    func mark(_ conversation: inout PrinterConversation) async throws(PrinterLinkError) -> PrinterMark? {
        // All Epson model names begin with TM-.
        guard try await model(&conversation)?.hasPrefix("TM-") == true else {
            return PrinterMark(bytes: Self.paper) { Self.paperStatus($0) }
        }
        // Characters that cannot be an answer to DLE EOT, which may arrive in between.
        let id = Array("CPAY".utf8)
        return PrinterMark(bytes: Self.processID(id)) { received in
            Self.block(received.filter { !Self.isRealTimeStatus($0) }, header: 0x37) == [0x22] + id
        }
    }

    // MARK: Answers

    /// Whether the fixed bits of a byte (0 and 7 off, 1 and 4 on) match an answer to DLE EOT.
    static func isRealTimeStatus(_ byte: UInt8) -> Bool { byte & 0b1001_0011 == 0b0001_0010 }

    /// Whether an answer to GS r was received: one byte with bits 4 and 7 off.
    static func paperStatus(_ received: [UInt8]) -> Bool { received.contains { $0 & 0b1001_0000 == 0 } }

    /// Returns the bytes between a header and the terminating zero; nil until the block is complete.
    static func block(_ received: [UInt8], header: UInt8) -> [UInt8]? {
        guard let start = received.firstIndex(of: header),
            let end = received[start...].dropFirst().firstIndex(of: 0)
        else { return nil }
        return Array(received[(start + 1)..<end])
    }

    /// The name that a printer reports.
    struct Identity: Hashable {
        /// Nil for a printer without a name.
        var name: String?
    }

    /// Parses the answer to GS I followed by GS r: the answer to GS r shows that a printer without a name has finished,
    /// and it must not be taken for the answer to a later query.
    ///
    /// - Returns: Nil until the answer is complete.
    static func identity(_ received: [UInt8]) -> Identity? {
        guard let start = received.firstIndex(of: 0x5F) else { return paperStatus(received) ? Identity() : nil }
        guard let block = block(received, header: 0x5F),
            paperStatus(Array(received[start...].dropFirst(block.count + 2)))
        else { return nil }
        return Identity(name: String(decoding: block, as: UTF8.self))
    }

    /// Creates the condition from the answers to DLE EOT 1 to 4; nil unless there are four.
    static func condition(_ answers: [UInt8]) -> PrinterCondition? {
        guard answers.count == 4 else { return nil }
        func has(_ answer: Int, _ bits: UInt8) -> Bool { answers[answer] & bits != 0 }
        var reasons: [String] = []
        if has(1, 0x04) { reasons.append(PrinterReason.coverOpen) }
        // Printing stopped at the end of the paper, or the paper end sensor detects no paper.
        if has(1, 0x20) || has(3, 0x60) { reasons.append(PrinterReason.mediaEmpty) }
        if has(2, 0x08) { reasons.append(PrinterReason.cutterFault) }
        if has(2, 0x64) || has(1, 0x40) && reasons.isEmpty { reasons.append(PrinterReason.fault) }
        if has(0, 0x08) && reasons.isEmpty { reasons.append(PrinterReason.offline) }
        if has(3, 0x0C) && !reasons.contains(PrinterReason.mediaEmpty) { reasons.append(PrinterReason.mediaLow) }
        return PrinterCondition(reasons: reasons)
    }
}
