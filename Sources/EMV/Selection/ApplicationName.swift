/// How an application is called before the cardholder and on the receipt (EMV Book 1 §12.4, Book 4 §11.3).
struct ApplicationName: Hashable, Sendable {
    /// Tag 50, printable ASCII; nil when the card gives none that can be shown.
    let label: String?
    /// Tag 9F12; nil when the card gives none, or in characters that the terminal cannot show.
    let preferred: String?

    /// - Parameters:
    ///   - label: value of tag 50.
    ///   - preferredName: value of tag 9F12.
    ///   - codeTableIndex: value of tag 9F11.
    ///   - capabilities: tag 9F40, which says what characters the terminal shows.
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

    /// The names of `first`, and those of `second` that it lacks.
    init(_ first: ApplicationName, orElse second: ApplicationName) {
        (label, preferred) = (first.label ?? second.label, first.preferred ?? second.preferred)
    }

    /// The preferred name, else the label, else the brand, else the AID.
    func shown(aid: [UInt8]) -> String {
        preferred ?? label ?? CardBrand(aid: aid)?.displayName ?? aid.hexadecimal
    }

    private static func visible(_ text: String?) -> String? {
        guard let text else { return nil }
        let trimmed = String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        return trimmed.isEmpty ? nil : trimmed
    }
}
