import CardSecrets
import Determinism
import ISO8583
import Money
import Text

/// A message that a client sent, as the acquirer understands it.
struct AcquirerRequest: Sendable {
    let message: ISOMessage
    let kind: MessageKind
    let form: MessageForm
    let key: AcquirerKey
    let merchant: String?
    /// Field 7; empty without it.
    let transmission: String
    /// The local date and time, in which the year is the one nearest to now; nil without it.
    let localTime: CivilDate?
    /// Field 4 with the currency of field 49, or of field 50 in a settlement; nil without it.
    let amount: Money?
    /// The currency of field 49 or 50, or that of field 97 of 2003; nil without it.
    let currency: Currency?
    let lastFour: String?
    /// The message that this one is about; nil when it names none.
    let original: OriginalReference?

    var traceNumber: String { key.traceNumber }

    /// The type of the answer: that of the profile, or of the standard for a reversal of the other form.
    var answerType: MessageType {
        message.type.original == form.type.original ? form.answer : message.type.answer ?? form.answer
    }

    /// Whether it is about money, so that the ledger has it.
    var isAboutMoney: Bool { recordKind != nil }

    /// How the ledger calls it; nil for a message without money.
    var recordKind: AcquirerRecord.Kind? {
        switch kind {
        case .authorization: .authorization
        case .sale: .sale
        case .refund: .refund
        case .void: .void
        case .completion: .completion
        case .reversal: .reversal
        case .offlineAdvice: .offlineAdvice
        case .declineAdvice: .declineAdvice
        case .settlement: .settlement
        case .increment: .increment
        case .signOn, .signOff, .echo, .keyExchange, .upload, .inquiry: nil
        }
    }

    /// Reads a message.
    ///
    /// - Throws: ``AcquirerRefusal``
    init(_ message: ISOMessage, _ profile: MessageProfile, now: CivilDate) throws(AcquirerRefusal) {
        guard let (kind, form) = Self.form(of: message, profile) else { throw .unknownMessage }
        (self.message, self.kind, self.form) = (message, kind, form)
        let missing = form.mandatory.subtracting(message.fields)
        guard missing.isEmpty else { throw .missing(Array(missing)) }
        let terminal = Self.identity(41, message) ?? ""
        merchant = Self.identity(42, message)
        transmission = message.text(of: 7) ?? ""
        let time = message.text(of: 12).map {
            MessageDates.LocalTime(field12: $0, field13: profile.version == .v1987 ? message.text(of: 13) : nil)
        }
        localTime = time.flatMap { MessageDates.local($0, profile.version, near: now) }
        let isAboutMoney = ![.signOn, .signOff, .echo, .keyExchange].contains(kind)
        if isAboutMoney, let time, localTime == nil { throw .wrongValue(time.field13 == nil ? 12 : 13) }
        key = AcquirerKey(
            terminal: terminal, traceNumber: message.text(of: 11) ?? "",
            localTime: localTime?.description ?? transmission)
        currency = try Self.currency(message) ?? Self.netCurrency(message, profile.version)
        amount = try Self.amount(message, currency, profile.version)
        do throws(PrimaryAccountNumberError) { lastFour = try message.primaryAccountNumber()?.lastFour } catch {
            throw .wrongCardNumber
        }
        original = OriginalReference(message, kind, profile, near: now)
    }

    /// The kind of a message, and the number of its terminal; the kind is nil for one that the profile does not have.
    static func sender(
        of message: ISOMessage, _ profile: MessageProfile
    ) -> (kind: MessageKind?, terminal: String) {
        (form(of: message, profile)?.0, identity(41, message) ?? "")
    }

    /// Finds the message of the profile that this one is: by type, processing code, function, and code, and then by
    /// its fields.
    private static func form(of message: ISOMessage, _ profile: MessageProfile) -> (MessageKind, MessageForm)? {
        let candidates = MessageKind.allCases.compactMap { kind -> (kind: MessageKind, form: MessageForm)? in
            guard let form = profile.messages[kind], fits(message, kind, form, profile) else { return nil }
            return (kind, form)
        }
        func misfit(_ form: MessageForm) -> (missing: Int, surplus: Int) {
            let surplus = message.fields.subtracting(form.mandatory).subtracting(form.conditional)
            return (form.mandatory.subtracting(message.fields).count, surplus.count)
        }
        return candidates.min { misfit($0.form) < misfit($1.form) }.map { ($0.kind, $0.form) }
    }

    private static func fits(
        _ message: ISOMessage, _ kind: MessageKind, _ form: MessageForm, _ profile: MessageProfile
    ) -> Bool {
        // A reversal may come as a request (0400) or as an advice (0420), whichever of them the profile has.
        let type = message.type
        let isReversal = kind == .reversal && type.messageClass == 4 && [0, 2].contains(type.function)
        guard type == form.type || type == form.repeated || isReversal else { return false }
        if let code = form.code, let found = message.text(of: 70), found != code { return false }
        if let function = form.function, let found = message.text(of: 24), found != function { return false }
        guard let name = form.processing, let found = message.text(of: 3) else { return true }
        var names = [name]
        if name == "sale" { names.append("saleWithCashback") }
        if name == "settlement" { names.append("settlementAfterUpload") }
        // The accounts of a processing code are the client's choice, but network management has whole codes.
        let count = message.type.messageClass == 8 ? 6 : 2
        return names.contains { profile.values.processing[$0]?.prefix(count) == found.prefix(count) }
    }

    /// Returns the number of the terminal or merchant, with the message's own card number masked.
    private static func identity(_ field: Int, _ message: ISOMessage) -> String? {
        guard let text = message.text(of: field) else { return nil }
        let trimmed = AcquirerKey.trimmed(text)
        guard let number = try? message.primaryAccountNumber(), number.isPart(of: trimmed) else { return trimmed }
        return String(repeating: "*", count: trimmed.count)
    }

    private static func currency(_ message: ISOMessage) throws(AcquirerRefusal) -> Currency? {
        guard let field = [49, 50].first(where: message.fields.contains), let text = message.text(of: field) else {
            return nil
        }
        guard let currency = UInt16(text).flatMap({ Currency(numericCode: $0) }) ?? (try? Currency(code: text)) else {
            throw .wrongValue(field)
        }
        return currency
    }

    /// The currency of field 97, which a settlement of 2003 has instead of field 50.
    private static func netCurrency(_ message: ISOMessage, _ version: MessageVersion) -> Currency? {
        message.text(of: 97).flatMap { NetAmount($0, version)?.currency }.flatMap { UInt16($0) }
            .flatMap { Currency(numericCode: $0) }
    }

    private static func amount(
        _ message: ISOMessage, _ currency: Currency?, _ version: MessageVersion
    ) throws(AcquirerRefusal) -> Money? {
        guard let text = message.text(of: 4), let currency else { return nil }
        guard let found = TransactionAmount(text, version),
            found.currency ?? currency.numericCode.zeroPadded(to: 3) == currency.numericCode.zeroPadded(to: 3),
            found.exponent ?? currency.exponent == currency.exponent,
            let amount = try? Money(minorUnits: found.minorUnits, currency: currency)
        else { throw .wrongValue(4) }
        return amount
    }
}

extension PrimaryAccountNumber {
    /// Whether a text has the digits of the number.
    fileprivate borrowing func isPart(of text: String) -> Bool {
        let bytes = Array(text.utf8)
        return withDigits { digits in
            guard bytes.count >= digits.count else { return false }
            return (0...bytes.count - digits.count).contains { start in
                digits.indices.allSatisfy { bytes[start + $0] == digits[$0] | 0x30 }
            }
        }
    }
}

/// What names the message that another one takes back, completes, or refunds.
struct OriginalReference: Hashable, Sendable {
    var type: String?
    var traceNumber: String
    /// The local time of the original; nil when only its transmission is known.
    var localTime: String?
    /// Field 7 of the original.
    var transmission: String?
    /// Field 37 of the original.
    var reference: String?

    /// Reads fields 90 or 56, 11 to 13, and 37. Nil for a message that is about no other one.
    init?(_ message: ISOMessage, _ kind: MessageKind, _ profile: MessageProfile, near now: CivilDate) {
        var reference: String?
        switch kind {
        case .refund, .void, .increment, .reversal, .completion, .inquiry:
            reference = message.text(of: 37).flatMap { $0.allSatisfy { $0 == " " } ? nil : $0 }
        case .authorization, .sale, .offlineAdvice, .declineAdvice, .signOn, .signOff, .echo, .keyExchange,
            .settlement, .upload:
            return nil
        }
        func local(_ time: MessageDates.LocalTime) -> String? {
            MessageDates.local(time, profile.version, near: now)?.description
        }
        let own = message.text(of: 12).flatMap {
            local(MessageDates.LocalTime(field12: $0, field13: message.text(of: 13)))
        }
        // The trace number of a reversal may be that of its original.
        let isOwn = kind == .reversal && profile.matching.stanOfReversal == .original
        if let data = message.text(of: 90).flatMap({ OriginalData(field90: $0) }), profile.version == .v1987 {
            self.init(
                type: "\(data.type.original)", traceNumber: data.traceNumber,
                localTime: kind == .reversal && data.traceNumber == message.text(of: 11) ? own : nil,
                transmission: data.time, reference: reference)
        } else if let data = message.text(of: 56).flatMap({ OriginalData(field56: $0, profile.version) }) {
            self.init(
                type: "\(data.type.original)", traceNumber: data.traceNumber,
                localTime: local(MessageDates.LocalTime(field12: data.time)), reference: reference)
        } else if isOwn || reference != nil {
            self.init(
                traceNumber: isOwn ? message.text(of: 11) ?? "" : "", localTime: isOwn ? own : nil, reference: reference
            )
        } else {
            return nil
        }
    }

    init(
        type: String? = nil, traceNumber: String, localTime: String? = nil, transmission: String? = nil,
        reference: String? = nil
    ) {
        (self.type, self.traceNumber, self.localTime) = (type, traceNumber, localTime)
        (self.transmission, self.reference) = (transmission, reference)
    }
}

/// Why the acquirer does not carry out a message.
enum AcquirerRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The profile has no such message.
    case unknownMessage
    case missing([Int])
    case wrongValue(Int)
    case wrongCardNumber
    /// The track is no track, or its check digit is wrong.
    case wrongTrack
    /// The card was neither read by chip nor swiped.
    case noCardData
    /// The PIN block has no key serial number, or the field has another length.
    case wrongPINBlock
    /// The PIN block can't be opened: another key, or another card number.
    case unreadablePIN
    /// The message has no MAC, and the profile demands one.
    case noMAC
    case wrongMAC
    /// The terminal has no key for MACs yet.
    case noMACKey
    /// The message has no key serial number of DUKPT from which the key of its MAC could follow.
    case noKeySerialNumber

    /// The response code of 1987.
    var code: String {
        switch self {
        case .unknownMessage: "12"
        case .missing, .wrongValue: "30"
        case .wrongCardNumber, .wrongTrack: "14"
        case .noCardData: "58"
        case .wrongPINBlock, .unreadablePIN: "99"
        case .noMAC, .wrongMAC, .noMACKey, .noKeySerialNumber: "98"
        }
    }

    var description: String {
        switch self {
        case .unknownMessage: "the profile has no such message"
        case .missing(let fields): "fields are missing: \(fields.map(String.init).joined(separator: ", "))"
        case .wrongValue(let field): "field \(field) has no valid value"
        case .wrongCardNumber: "the card number is none"
        case .wrongTrack: "track 2 cannot be read"
        case .noCardData: "a card that was neither swiped nor read by its chip"
        case .wrongPINBlock: "the PIN block has no key serial number"
        case .unreadablePIN: "the PIN block cannot be opened"
        case .noMAC: "the MAC is missing"
        case .wrongMAC: "the MAC is wrong"
        case .noMACKey: "the terminal has no key for MACs"
        case .noKeySerialNumber: "the MAC has no key serial number"
        }
    }
}
