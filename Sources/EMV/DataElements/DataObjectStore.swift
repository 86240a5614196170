internal import CardSecrets
internal import SmartCard

/// The data objects of one transaction. Secret ones (PAN, track data, names) are apart from the others,
/// are zeroed when the store goes, and have no textual form.
struct DataObjectStore: ~Copyable {
    private var open: [BERTag: [UInt8]] = [:]
    private var secret: [BERTag: SecretDataObject] = [:]

    /// The value of a data object that is not secret.
    subscript(tag: BERTag) -> [UInt8]? { open[tag] }

    /// Whether there is a value, secret or not.
    func contains(_ tag: BERTag) -> Bool { open[tag] != nil || secret[tag] != nil }

    /// Sets what the terminal itself knows, or what a later answer of the card replaces; nil takes it away.
    mutating func set(_ tag: BERTag, _ value: [UInt8]?) { open[tag] = value }

    /// Takes in data objects of the card's records. Unknown ones are left out, as are empty ones, which
    /// count as absent (EMV Book 3 §10.2, §7.5).
    ///
    /// - Throws: ``DataObjectError``
    mutating func takeFromCard(_ objects: [BERTLV]) throws(DataObjectError) {
        for object in objects {
            guard let element = DataElement[object.tag], !object.value.isEmpty else { continue }
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

    /// Gives the bytes of a secret data object to `body` for the length of the call.
    ///
    /// - Returns: nil when there is no such data object.
    borrowing func withSecret<Result>(_ tag: BERTag, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
        secret[tag].map { $0.value.withUnsafeBytes(body) }
    }

    /// A copy of any value, for a command to the card that the value came from. Wipe it after use.
    borrowing func copyForCard(_ tag: BERTag) -> [UInt8]? {
        open[tag] ?? withSecret(tag) { Array($0) }
    }

    /// A second owner of a secret data object.
    borrowing func duplicateSecret(_ tag: BERTag) -> SensitiveBytes? {
        guard let object = secret[tag] else { return nil }
        return object.value.duplicate()
    }

    /// The primary account number (5A).
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
