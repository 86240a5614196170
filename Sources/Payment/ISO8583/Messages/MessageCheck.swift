/// A field of a message that looks wrong, or is missing or too much. The text has no value of a secret field.
public struct MessageDoubt: Hashable, Sendable, CustomStringConvertible {
    public let field: Int
    /// The name of the field in the profile.
    public let name: String
    /// What is wrong, without a subject: `is missing`.
    public let reason: String

    /// For example `field 12 (Time, local transaction) is not a time`.
    public var description: String { "field \(field)\(name.isEmpty ? "" : " (\(name))") \(reason)" }
}

extension MessageProfile {
    /// Returns the fields of a message that cannot be right, in ascending order.
    ///
    /// A wrong profile shifts every later field, and often still reads without an error. The first doubt then shows
    /// where.
    public func doubts(about message: ISOMessage) -> [MessageDoubt] {
        message.fields.compactMap { field in
            reason(field, message).map { MessageDoubt(field: field, name: table[field]?.name ?? "", reason: $0) }
        }
    }

    /// Returns the fields that a message of a kind lacks, or has although the profile does not name them.
    ///
    /// Fields with a fixed value of the profile, MAC, and key serial number are always allowed.
    public func differences(of message: ISOMessage, from kind: MessageKind) -> [MessageDoubt] {
        guard let form = messages[kind] else { return [] }
        func doubt(_ reason: String) -> (Int) -> MessageDoubt {
            { MessageDoubt(field: $0, name: table[$0]?.name ?? "", reason: reason) }
        }
        var allowed = FieldSet(Array(form.mandatory) + Array(form.conditional) + Array(values.fixed.keys))
        if security.mac != nil { [64, 128].forEach { allowed.insert($0) } }
        if let field = security.keySerialNumberField { allowed.insert(field) }
        let missing = form.mandatory.subtracting(message.fields).map(doubt("is missing"))
        let surplus = message.fields.subtracting(allowed).map(doubt("does not belong to the message \(kind.rawValue)"))
        return (missing + surplus).sorted { $0.field < $1.field }
    }

    private func reason(_ field: Int, _ message: ISOMessage) -> String? {
        switch field {
        case 2 where !isPrimaryAccountNumber(message): return "is no card number"
        case 64 where message.fields.words.secondary != 0 || message.fields.words.tertiary != 0:
            return "is a MAC before the end of the message"
        case 39 where !message.type.isAnswer && message.type.function == 0 && message.type.messageClass != 4:
            return "is a response code in a request"
        case 52 where message.type.messageClass == 4 || message.type.function == 2:
            return "is a PIN in a message that no PIN belongs to"
        default: break
        }
        guard let text = message.text(of: field) else { return nil }
        switch field {
        case 7: return isTime(text, [2, 2, 2, 2, 2]) ? nil : "is not a date and time"
        case 12:
            let isRight: Bool =
                switch version {
                case .v1987: isClock(text)
                case .v1993: isTime(String(text.dropFirst(2)), [2, 2, 2, 2, 2])
                case .v2003: isTime(String(text.dropFirst(4)), [2, 2, 2, 2, 2])
                }
            return isRight ? nil : "is not a time"
        case 13 where version == .v1987, 15 where version == .v1987, 16, 17:
            return isDay(text) ? nil : "is not a date"
        case 14:
            return MessageDates.parts(text, [2, 2]).map { (1...12).contains($0[1]) } == true ? nil : "is not a date"
        case 3: return ProcessingCode(text) == nil ? "is no processing code" : nil
        case 49 where version != .v2003, 50 where version != .v2003, 51 where version != .v2003:
            let isRight = text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
            return isRight ? nil : "is no currency"
        case 54 where version == .v1987:
            return AdditionalAmount.list(text) == nil ? "has no groups of 20 characters" : nil
        case 90 where version == .v1987: return OriginalData(field90: text) == nil ? "has no original message" : nil
        case 95 where version == .v1987: return ReplacementAmounts(text) == nil ? "has no amounts" : nil
        case 56 where version != .v1987:
            return OriginalData(field56: text, version) == nil ? "has no original message" : nil
        default: return nil
        }
    }

    private func isPrimaryAccountNumber(_ message: ISOMessage) -> Bool {
        message.count(of: 2).map { (8...19).contains($0) } ?? true
    }

    private func isClock(_ text: String) -> Bool {
        guard let parts = MessageDates.parts(text, [2, 2, 2]) else { return false }
        return parts[0] < 24 && parts[1] < 60 && parts[2] < 60
    }

    private func isDay(_ text: String) -> Bool {
        // A leap year, because the field has no year.
        MessageDates.parts(text, [2, 2]).map { MessageDates.date(2024, $0[0], $0[1], 0, 0, 0) != nil } ?? false
    }

    private func isTime(_ text: String, _ lengths: [Int]) -> Bool {
        MessageDates.parts(text, lengths).map { MessageDates.date(2024, $0[0], $0[1], $0[2], $0[3], $0[4]) != nil }
            ?? false
    }
}
