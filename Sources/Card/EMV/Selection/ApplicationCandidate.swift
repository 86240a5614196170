import Text

/// An application that card and terminal both support (EMV Book 1 §12.3).
struct ApplicationCandidate: Hashable, Sendable {
    /// The ADF name or DF name from the card.
    let dfName: [UInt8]
    let terminalApplication: TerminalApplication
    let name: ApplicationName
    /// 1 (highest) to 15; nil if the card states none.
    let priority: UInt8?
    let needsConfirmation: Bool

    /// Creates a candidate. The priority indicator is the value of tag 87.
    init(
        dfName: [UInt8], terminalApplication: TerminalApplication, name: ApplicationName, priorityIndicator: [UInt8]?
    ) {
        (self.dfName, self.terminalApplication, self.name) = (dfName, terminalApplication, name)
        let indicator = priorityIndicator?.first ?? 0
        priority = indicator & 0x0F == 0 ? nil : indicator & 0x0F
        needsConfirmation = indicator & 0x80 != 0
    }

    var choice: ApplicationChoice {
        ApplicationChoice(
            name: name.shown(aid: dfName), aid: dfName, priority: priority, needsConfirmation: needsConfirmation)
    }
}

/// The candidate list, the highest priority first; applications without priority come last, in the order found (EMV
/// Book 1 §12.4).
struct CandidateList: Hashable, Sendable {
    private(set) var candidates: [ApplicationCandidate] = []
    /// Whether an application was excluded because the issuer blocked it.
    var foundBlocked = false

    /// Adds an application. A DF name is listed once, with the longest matching terminal AID.
    mutating func add(_ candidate: ApplicationCandidate) {
        if let known = candidates.firstIndex(where: { $0.dfName == candidate.dfName }) {
            guard candidate.terminalApplication.aid.count > candidates[known].terminalApplication.aid.count else {
                return
            }
            candidates.remove(at: known)
        }
        let position = candidates.firstIndex { ($0.priority ?? 16) > (candidate.priority ?? 16) }
        candidates.insert(candidate, at: position ?? candidates.endIndex)
    }

    mutating func remove(_ candidate: ApplicationCandidate) { candidates.removeAll { $0.dfName == candidate.dfName } }
}

/// The name of an application for the cardholder and the receipt (EMV Book 1 §12.4, Book 4 §11.3).
struct ApplicationName: Hashable, Sendable {
    /// Tag 50, printable ASCII; nil if the card has none that can be displayed.
    let label: String?
    /// Tag 9F12; nil if the card has none, or in characters that the terminal cannot display.
    let preferred: String?

    /// - Parameters:
    ///   - label: value of tag 50.
    ///   - preferredName: value of tag 9F12.
    ///   - codeTableIndex: value of tag 9F11.
    ///   - capabilities: tag 9F40, which lists the supported character sets.
    init(
        label: [UInt8]?, preferredName: [UInt8]?, codeTableIndex: [UInt8]?,
        capabilities: AdditionalTerminalCapabilities
    ) {
        self.label = Self.visible(label.flatMap { CodeTable.latin1.decode($0.filter { (0x20...0x7E).contains($0) }) })
        if let preferredName, let codeTableIndex, codeTableIndex.count == 1,
            let index = BinaryCodedDecimal.decode(codeTableIndex).map({ UInt8(truncatingIfNeeded: $0) }),
            capabilities.supportsCodeTable(index), let table = CodeTable(rawValue: index)
        {
            preferred = Self.visible(table.decode(preferredName))
        } else {
            preferred = nil
        }
    }

    /// The names of `first`, completed with those of `second`.
    init(_ first: ApplicationName, orElse second: ApplicationName) {
        (label, preferred) = (first.label ?? second.label, first.preferred ?? second.preferred)
    }

    /// Returns the preferred name, the label, the brand, or the AID, whichever exists first.
    func shown(aid: [UInt8]) -> String {
        preferred ?? label ?? CardBrand(aid: aid)?.displayName ?? aid.hexadecimal
    }

    private static func visible(_ text: String?) -> String? {
        guard let text else { return nil }
        let trimmed = String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        return trimmed.isEmpty ? nil : trimmed
    }
}

/// The 8-bit character sets of preferred names (tag 9F11; ISO/IEC 8859).
enum CodeTable: UInt8 {
    /// Western European
    case latin1 = 1
    /// Cyrillic
    case cyrillic = 5
    /// Turkish
    case latin5 = 9

    /// Returns the text; nil if a byte is not a printable character of the set.
    func decode(_ bytes: [UInt8]) -> String? {
        var text = ""
        for byte in bytes {
            guard (0x20...0x7E).contains(byte) || byte >= 0xA0, let scalar = Unicode.Scalar(codePoint(of: byte)) else {
                return nil
            }
            text.unicodeScalars.append(scalar)
        }
        return text
    }

    private func codePoint(of byte: UInt8) -> UInt32 {
        switch (self, byte) {
        case (.cyrillic, 0xF0): 0x2116
        case (.cyrillic, 0xFD): 0x00A7
        case (.cyrillic, 0xA0), (.cyrillic, 0xAD), (.cyrillic, ..<0xA0): UInt32(byte)
        case (.cyrillic, _): UInt32(byte) - 0xA0 + 0x0400
        case (.latin5, 0xD0): 0x011E
        case (.latin5, 0xDD): 0x0130
        case (.latin5, 0xDE): 0x015E
        case (.latin5, 0xF0): 0x011F
        case (.latin5, 0xFD): 0x0131
        case (.latin5, 0xFE): 0x015F
        default: UInt32(byte)
        }
    }
}
