public import CardSecrets
public import SmartCard

/// The data objects of one transaction. Secret ones (PAN, track data, names) are stored separately, zeroed when the
/// store is released, and never printed.
struct DataObjectStore: ~Copyable {
    private var open: [BERTag: [UInt8]] = [:]
    private var secret: [BERTag: SecretDataObject] = [:]

    /// Returns the value of a data object that is not secret.
    subscript(tag: BERTag) -> [UInt8]? { open[tag] }

    /// Returns whether there is a value, secret or not.
    func contains(_ tag: BERTag) -> Bool { open[tag] != nil || secret[tag] != nil }

    /// Sets a value of the terminal, or one that a later response replaces; nil removes it.
    mutating func set(_ tag: BERTag, _ value: [UInt8]?) { open[tag] = value }

    /// Stores data objects from the card's records. Ignores unknown objects, those of the payment systems, and empty
    /// ones, which count as absent (EMV Book 3 §10.2, §7.5).
    ///
    /// - Throws: ``DataObjectError``
    mutating func storeFromCard(_ objects: [BERTLV]) throws(DataObjectError) {
        for object in objects {
            // 9F5B is the terminal's in a message to the issuer, and the payment system's in a record.
            guard !DataElement.belongsToPaymentSystem(object.tag), let element = DataElement[object.tag],
                !object.value.isEmpty
            else { continue }
            guard element.source == .card else { throw .notForTheCardToGive(object.tag) }
            guard element.lengths.contains(object.value.count) else { throw .wrongLength(object.tag) }
            guard element.hasValidDigits(object.value) else { throw .wrongFormat(object.tag) }
            guard !contains(object.tag) else { throw .duplicate(object.tag) }
            if element.isSecret {
                secret[object.tag] = SecretDataObject(object.value)
            } else {
                open[object.tag] = object.value
            }
        }
    }

    /// Calls `body` with the bytes of a secret data object.
    ///
    /// - Returns: nil if there is no such data object.
    borrowing func withSecret<Result>(_ tag: BERTag, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
        secret[tag].map { $0.value.withUnsafeBytes(body) }
    }

    /// Returns a copy of any value, for a command to the same card. Wipe it after use.
    borrowing func copyForCard(_ tag: BERTag) -> [UInt8]? {
        open[tag] ?? withSecret(tag) { Array($0) }
    }

    /// Returns a copy of a secret data object as secret bytes.
    borrowing func duplicateSecret(_ tag: BERTag) -> SensitiveBytes? {
        guard let object = secret[tag] else { return nil }
        return object.value.duplicate()
    }

    /// Returns the primary account number (5A).
    ///
    /// - Throws: ``DataObjectError``
    borrowing func primaryAccountNumber() throws(DataObjectError) -> PrimaryAccountNumber {
        guard var digits = withSecret(EMVTag.pan, { Array($0) }) else { throw .missing(EMVTag.pan) }
        defer { digits.wipe() }
        do throws(PrimaryAccountNumberError) { return try PrimaryAccountNumber(compressedNumeric: digits) } catch {
            throw .wrongFormat(EMVTag.pan)
        }
    }
}

/// A box for a secret value, so that a dictionary or a copied value can hold it and nothing can print it.
public final class SecretDataObject: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The value field of the data object, or encoded data objects.
    public let value: SensitiveBytes

    /// Copies the bytes. The caller wipes its own copy.
    public init(_ bytes: [UInt8]) { value = SensitiveBytes(bytes) }

    /// Compares in a time that depends only on the lengths.
    public static func == (first: SecretDataObject, second: SecretDataObject) -> Bool {
        first.value.isEqual(to: second.value)
    }

    public var description: String { "SecretDataObject(masked)" }

    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

/// Why a data object from the card is not valid. Contains its tag, never its value.
public enum DataObjectError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The card returned it twice (EMV Book 3 §10.2).
    case duplicate(BERTag)
    /// Its source is the terminal or the issuer, not the card.
    case notForTheCardToGive(BERTag)
    /// The length is not allowed by EMV.
    case wrongLength(BERTag)
    /// The value does not match its EMV format or is out of range.
    case wrongFormat(BERTag)
    /// The data object is mandatory and missing.
    case missing(BERTag)

    public var description: String {
        switch self {
        case .duplicate(let tag): "the card gave data object \(tag) twice"
        case .notForTheCardToGive(let tag): "the card gave data object \(tag), which is the terminal's or the issuer's"
        case .wrongLength(let tag): "data object \(tag) has a wrong length"
        case .wrongFormat(let tag): "data object \(tag) has a wrong format"
        case .missing(let tag): "data object \(tag) is missing on the card"
        }
    }
}
