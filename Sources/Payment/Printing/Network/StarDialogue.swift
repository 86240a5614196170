/// The status queries of a printer in Star line mode, and the parsing of its answers (Star, line mode command
/// specifications, appendix on the automatic status).
struct StarDialogue: PrinterDialogue {
    /// ESC ACK SOH: requests the automatic status, which is sent at once.
    private static let status: [UInt8] = [0x1B, 0x06, 0x01]
    /// ETB: the printer counts it, and reports the count in the automatic status, after everything before it is
    /// printed.
    private static let mark: [UInt8] = [0x17]

    func condition(_ conversation: inout PrinterConversation) async throws(PrinterLinkError) -> PrinterCondition? {
        try await report(&conversation).map(Self.condition)
    }

    /// The automatic status does not name the model.
    func model(_ conversation: inout PrinterConversation) async throws(PrinterLinkError) -> String? { nil }

    func mark(_ conversation: inout PrinterConversation) async throws(PrinterLinkError) -> PrinterMark? {
        guard let before = try await report(&conversation).flatMap(Self.markCount) else { return nil }
        return PrinterMark(bytes: Self.mark, question: Self.status) { received in
            Self.reports(received).contains { Self.markCount($0) == (before + 1) % 32 }
        }
    }

    private func report(_ conversation: inout PrinterConversation) async throws(PrinterLinkError) -> [UInt8]? {
        try await conversation.answer(to: Self.status) { Self.reports($0).last }
    }

    // MARK: Answers

    /// Returns the complete reports in the received bytes. The first byte of a report has bit 0 on and bits 4 and 7
    /// off, and encodes its length: bits 1 to 3, then bits 5 and 6 as the higher bits.
    static func reports(_ received: [UInt8]) -> [[UInt8]] {
        var reports: [[UInt8]] = []
        var rest = received[...]
        while let head = rest.first {
            let count = Int(head >> 1 & 7) | Int(head >> 5 & 3) << 3
            guard head & 0b1001_0001 == 1, count >= 6 else {
                rest = rest.dropFirst()
                continue
            }
            guard rest.count >= count else { break }
            reports.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return reports
    }

    /// Returns the condition from a report; bits beyond a short report count as zero.
    static func condition(_ report: [UInt8]) -> PrinterCondition {
        func has(_ byte: Int, _ bits: UInt8) -> Bool { byte < report.count && report[byte] & bits != 0 }
        var reasons: [String] = []
        if has(2, 0x20) { reasons.append(PrinterReason.coverOpen) }
        if has(5, 0x08) { reasons.append(PrinterReason.mediaEmpty) }
        if has(3, 0x08) { reasons.append(PrinterReason.cutterFault) }
        // Unrecoverable error, overheated head, or black mark not found.
        if has(3, 0x60) || has(4, 0x08) { reasons.append(PrinterReason.fault) }
        if has(2, 0x08) && reasons.isEmpty { reasons.append(PrinterReason.offline) }
        if has(5, 0x06) && !reasons.contains(PrinterReason.mediaEmpty) { reasons.append(PrinterReason.mediaLow) }
        return PrinterCondition(reasons: reasons)
    }

    /// Returns the number of processed ETBs, modulo 32; nil when the report is too short.
    static func markCount(_ report: [UInt8]) -> UInt8? {
        guard report.count >= 8 else { return nil }
        return report[7] >> 1 & 7 | (report[7] >> 5 & 3) << 3
    }
}
