import EMV
public import Money

/// A message for the cardholder and a status of the reader (EMV Contactless Book A §7). Entry Point and kernels name
/// messages; the till has their texts, in the language of the cardholder.
public struct UserInterfaceRequest: Hashable, Sendable {
    /// Nil for no message.
    public var message: MessageIdentifier?
    /// Nil for no change of the status.
    public var status: ReaderStatus?
    /// The least time for which the message stays, before the next one replaces it.
    public var holdTime: Duration
    /// The languages that the card prefers (5F2D), by ISO 639-1 code, the first one most.
    public var languages: [String]
    /// An amount or a balance to show, where the reader can.
    public var value: ShownValue?

    /// Describes a message.
    public init(
        _ message: MessageIdentifier?, _ status: ReaderStatus?, holdTime: Duration = .zero, languages: [String] = [],
        value: ShownValue? = nil
    ) {
        (self.message, self.status, self.holdTime) = (message, status, holdTime)
        (self.languages, self.value) = (languages, value)
    }

    /// Reads the value of DF8116 (Kernel 2, 22 bytes), or 9F8205 (Kernel 8, 13 bytes): message, status, hold time in
    /// units of 100 ms (n 6), and language preference; in 22 bytes also value qualifier, value (n 12), and currency.
    ///
    /// Unknown statuses, value qualifiers, and currencies count as absent.
    ///
    /// - Throws: ``OutcomeDataError``
    public init(bytes: [UInt8]) throws(OutcomeDataError) {
        guard bytes.count == 13 || bytes.count == 22 else { throw .length(bytes.count) }
        guard let tenths = BinaryCodedDecimal.decode(bytes[2..<5]) else { throw .digits(offset: 2) }
        message = bytes[0] == 0xFF ? nil : MessageIdentifier(rawValue: bytes[0])
        status = ReaderStatus(rawValue: bytes[1])
        holdTime = .milliseconds(100 * Int64(tenths))
        languages = LanguagePreference.codes(Array(bytes[5..<13].prefix { $0 != 0 }))
        guard bytes.count == 22, let kind = ShownValue.Kind(rawValue: bytes[13]) else { return }
        guard let number = BinaryCodedDecimal.decode(bytes[14..<20]) else { throw .digits(offset: 14) }
        guard let code = BinaryCodedDecimal.decode(bytes[20..<22]) else { throw .digits(offset: 20) }
        if let currency = Currency(numericCode: UInt16(clamping: code)),
            let amount = try? Money(minorUnits: Int64(clamping: number), currency: currency)
        {
            value = ShownValue(kind: kind, amount: amount)
        }
    }

    /// Returns the language for the message: the first that the card prefers and the till has texts for, otherwise the
    /// till's own (Book A §7.1).
    public func language(among available: [String], otherwise own: String) -> String {
        languages.first(where: available.contains) ?? own
    }

    /// Message 15: the reader waits for a card.
    public static let presentCard = UserInterfaceRequest(.presentCard, .readyToRead)
    /// Message 14: no transaction.
    public static let welcome = UserInterfaceRequest(.welcome, .idle)
}

/// The identifier of a standard message (EMV Contactless Book A §7.1). Kernels may use others.
public struct MessageIdentifier: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    /// Takes the byte as kernels transmit it.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let approved = MessageIdentifier(rawValue: 0x03)
    public static let notAuthorized = MessageIdentifier(rawValue: 0x07)
    public static let enterPIN = MessageIdentifier(rawValue: 0x09)
    public static let processingError = MessageIdentifier(rawValue: 0x0F)
    public static let removeCard = MessageIdentifier(rawValue: 0x10)
    public static let welcome = MessageIdentifier(rawValue: 0x14)
    public static let presentCard = MessageIdentifier(rawValue: 0x15)
    public static let processing = MessageIdentifier(rawValue: 0x16)
    /// The card was read, and may be taken away.
    public static let cardRead = MessageIdentifier(rawValue: 0x17)
    public static let insertOrSwipeCard = MessageIdentifier(rawValue: 0x18)
    public static let presentOneCardOnly = MessageIdentifier(rawValue: 0x19)
    public static let approvedPleaseSign = MessageIdentifier(rawValue: 0x1A)
    public static let authorizing = MessageIdentifier(rawValue: 0x1B)
    /// The card cannot be used: another card, or another interface.
    public static let useAnotherCard = MessageIdentifier(rawValue: 0x1C)
    public static let insertCard = MessageIdentifier(rawValue: 0x1D)
    public static let clearDisplay = MessageIdentifier(rawValue: 0x1E)
    public static let seePhone = MessageIdentifier(rawValue: 0x20)
    public static let presentCardAgain = MessageIdentifier(rawValue: 0x21)
}

/// The status of the reader, for its lights and its sound (EMV Contactless Book A §7.2).
public enum ReaderStatus: UInt8, Hashable, Sendable, CaseIterable {
    case notReady = 0x00
    case idle = 0x01
    case readyToRead = 0x02
    case processing = 0x03
    case cardReadSuccessfully = 0x04
    case processingError = 0x05
}

/// An amount of money in a message.
public struct ShownValue: Hashable, Sendable {
    /// The meaning of the amount.
    public enum Kind: UInt8, Hashable, Sendable {
        /// The amount of the transaction.
        case amount = 0x10
        /// The balance of an account on the card.
        case balance = 0x20
    }

    public var kind: Kind
    public var amount: Money

    /// Describes the amount.
    public init(kind: Kind, amount: Money) { (self.kind, self.amount) = (kind, amount) }
}

/// Why the data of an outcome is not valid.
public enum OutcomeDataError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A wrong number of bytes.
    case length(Int)
    /// A byte at the offset is not two decimal digits, or the number is too large.
    case digits(offset: Int)
    /// No outcome has this status.
    case status(UInt8)

    public var description: String {
        switch self {
        case .length(let count): "outcome data of \(count) bytes has a wrong length"
        case .digits(let offset): "outcome data has no decimal digits at offset \(offset)"
        case .status(let byte): "\(byte) is no status of an outcome"
        }
    }
}
