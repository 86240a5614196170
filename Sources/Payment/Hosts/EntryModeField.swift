import ISO8583
import Payments

/// Makes field 22: how the card was read, and whether a PIN can be entered.
struct EntryModeField {
    let profile: MessageProfile
    let hasPINPad: Bool

    /// - Returns: three digits in 1987, twelve characters in 1993, sixteen bytes in 2003, as ISO 8859-1.
    func value(_ subject: MessageSubject) -> String? {
        switch profile.version {
        case .v1987: digits(subject)
        case .v1993: characters(subject)
        case .v2003: flags(subject)
        }
    }

    /// The profile's word for a way of reading; nil without a card.
    private func word(_ mode: CardDetails.EntryMode?) -> String? {
        switch mode {
        case .chip: "chip"
        case .contactless: "contactless"
        case .swipe: "stripe"
        case .fallback: "fallback"
        case .other, nil: nil
        }
    }

    private func code(_ subject: MessageSubject) -> String? {
        word(subject.entryMode).flatMap { profile.values.entryMode[$0] }
    }

    private var capability: String? { profile.values.pinCapability[hasPINPad ? "pad" : "none"] }

    private func digits(_ subject: MessageSubject) -> String? {
        EntryMode(entry: code(subject) ?? "00", pinCapability: capability ?? "0")?.description
    }

    /// A chip terminal on the premises of the merchant, attended, with display and printer.
    private func characters(_ subject: MessageSubject) -> String? {
        guard var field = PointOfServiceDataCode("500100000034") else { return nil }
        if hasPINPad { field[.cardholderAuthenticationCapability] = "1" }
        field[.cardPresence] = subject.entryMode == nil ? "0" : "1"
        field[.cardInputMode] = code(subject) ?? "0"
        if subject.isPINEntered {
            (field[.cardholderAuthenticationMethod], field[.cardholderAuthenticationEntity]) = ("1", "3")
        }
        field[.pinCaptureCapability] = hasPINPad ? "C" : "0"
        return field.description
    }

    /// The bits of the groups, as the open example of 2003 (the CMF of jPOS) numbers them.
    private func flags(_ subject: MessageSubject) -> String? {
        func bit(_ number: UInt32) -> UInt32 { 1 << (32 - number) }
        var field = PointOfServiceFlags()
        field[.cardReading] =
            switch subject.entryMode {
            case .chip: bit(6)
            // No public text has the bit of a chip without contacts.
            case .contactless: bit(6)
            case .swipe: bit(5)
            case .fallback: bit(5) | bit(13)
            case .other, nil: bit(1)
            }
        field[.cardholderVerification] = subject.isPINEntered ? bit(4) : bit(1)
        field[.environment] = bit(2)
        field[.security] = bit(1)
        return String(String.UnicodeScalarView(field.bytes.map { Unicode.Scalar($0) }))
    }
}
