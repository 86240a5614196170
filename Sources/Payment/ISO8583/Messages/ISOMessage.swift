public import CardSecrets

/// A message of ISO 8583: its type, and the values of its fields.
///
/// A value is the exact text or the exact bytes of its field, never a number. Text has one byte of ISO 8859-1 for each
/// character, whatever the encoding on the wire is. The separator of tracks 2 and 3 is `=`.
///
/// PAN, track, PIN, and chip data (``secretFields``) are held in memory for secrets and never become a `String`.
public struct ISOMessage: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The fields that always have card data: PAN, tracks, PIN, and chip data with its tags 5A and 57.
    public static let secretFields: Set<Int> = [2, 34, 35, 36, 45, 52, 55]

    public var type: MessageType
    /// The fields that have a value.
    public private(set) var fields = FieldSet()

    /// The place of a value: in `plain`, or, for a secret, its number in `secrets`.
    struct Slot: Hashable, Sendable {
        var field: UInt8
        var isSecret: Bool
        var start: Int32
        var count: Int32
    }

    // Values stand one behind the other, so that a decoded message needs few allocations.
    private(set) var slots: [Slot] = []
    private(set) var plain: [UInt8] = []
    private(set) var secrets: [SecretValue] = []

    public init(_ type: MessageType) { self.type = type }

    /// The number of a field's slot.
    func slot(of field: Int) -> Int? {
        guard fields.contains(field) else { return nil }
        return slots.firstIndex { $0.field == field }
    }

    public static func == (first: ISOMessage, second: ISOMessage) -> Bool {
        guard first.type == second.type, first.fields == second.fields else { return false }
        return first.fields.allSatisfy { field in
            first.withBytes(of: field) { one in
                second.withBytes(of: field) { other in one.elementsEqual(other) } ?? false
            } ?? false
        }
    }

    /// The type and the numbers of the fields, without values.
    public var description: String {
        "\(type) with fields \(fields.map(String.init).joined(separator: ", "))"
    }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ISOMessage {
    /// Returns the text of a field; nil when the field is absent or secret.
    public func text(of field: Int) -> String? {
        bytes(of: field).map { bytes in
            var text = String.UnicodeScalarView()
            for byte in bytes { text.append(Unicode.Scalar(byte)) }
            return String(text)
        }
    }

    /// Returns the bytes of a field; nil when the field is absent or secret.
    public func bytes(of field: Int) -> [UInt8]? {
        guard let slot = slot(of: field).map({ slots[$0] }), !slot.isSecret else { return nil }
        return Array(plain[Int(slot.start)..<Int(slot.start + slot.count)])
    }

    /// The number of characters or bytes of a field; nil when it is absent.
    public func count(of field: Int) -> Int? { slot(of: field).map { Int(slots[$0].count) } }

    /// Whether the value of a field is held in memory for secrets.
    public func isSecret(_ field: Int) -> Bool { slot(of: field).map { slots[$0].isSecret } ?? false }

    /// Passes the value of a field, also of a secret one, to `body` for the duration of the call. Nil when it is
    /// absent.
    public func withBytes<Result>(of field: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
        guard let slot = slot(of: field).map({ slots[$0] }) else { return nil }
        if slot.isSecret { return secrets[Int(slot.start)].bytes.withUnsafeBytes(body) }
        return plain.withUnsafeBytes { buffer in
            body(UnsafeRawBufferPointer(rebasing: buffer[Int(slot.start)..<Int(slot.start + slot.count)]))
        }
    }

    /// Returns a copy of a secret field; nil when the field is absent.
    public func secret(of field: Int) -> SecretValue? {
        guard let slot = slot(of: field).map({ slots[$0] }) else { return nil }
        return slot.isSecret ? secrets[Int(slot.start)] : withBytes(of: field) { SecretValue(SensitiveBytes($0)) }
    }

    /// Returns the card number of field 2, or else that of track 2 in field 35.
    ///
    /// - Throws: ``PrimaryAccountNumberError`` when the digits are no card number.
    public func primaryAccountNumber() throws(PrimaryAccountNumberError) -> PrimaryAccountNumber? {
        guard let secret = secret(of: 2) ?? secret(of: 35) else { return nil }
        return try secret.bytes.withUnsafeBytes { (bytes) throws(PrimaryAccountNumberError) in
            let end = bytes.firstIndex(of: UInt8(ascii: "=")) ?? bytes.endIndex
            return try PrimaryAccountNumber(digits: UnsafeRawBufferPointer(rebasing: bytes[..<end]))
        }
    }
}

extension ISOMessage {
    /// Sets a field to a text. A character outside ISO 8859-1 becomes one that no field can have, so that encoding
    /// fails.
    public mutating func set(_ field: Int, _ text: String) {
        set(field, bytes: text.unicodeScalars.map { UInt8(exactly: $0.value) ?? 0x1A })
    }

    /// Sets a field to bytes. Those of ``secretFields`` are kept as a secret.
    public mutating func set(_ field: Int, bytes: some Collection<UInt8>) {
        guard FieldTable.numbers.contains(field) else { return }
        guard !Self.secretFields.contains(field), !isSecret(field) else {
            return set(field, secret: SensitiveBytes(bytes))
        }
        let start = plain.count
        plain.append(contentsOf: bytes)
        place(Slot(field: UInt8(field), isSecret: false, start: Int32(start), count: Int32(plain.count - start)))
    }

    /// Sets a field to a secret: the characters or bytes of its value.
    public mutating func set(_ field: Int, secret: consuming SensitiveBytes) {
        set(field, secret: SecretValue(secret))
    }

    /// Sets a field to a secret that another message or value may share.
    public mutating func set(_ field: Int, secret: SecretValue) {
        guard FieldTable.numbers.contains(field) else { return }
        let count = Int32(clamping: secret.bytes.count)
        secrets.append(secret)
        place(Slot(field: UInt8(field), isSecret: true, start: Int32(secrets.count - 1), count: count))
    }

    /// Sets field 2 to the digits of a card number.
    public mutating func set(primaryAccountNumber number: borrowing PrimaryAccountNumber) {
        let secret = number.withDigits { digits in
            SecretValue(
                SensitiveBytes(count: digits.count) { buffer in
                    for index in digits.indices { buffer[index] = digits[index] | 0x30 }
                })
        }
        set(2, secret: secret)
    }

    /// Removes a field.
    public mutating func remove(_ field: Int) {
        guard let index = slot(of: field) else { return }
        slots.remove(at: index)
        fields.remove(field)
        compact()
    }

    private mutating func place(_ slot: Slot) {
        if let index = self.slot(of: Int(slot.field)) {
            slots[index] = slot
            compact()
        } else {
            let index = slots.firstIndex { $0.field > slot.field } ?? slots.count
            slots.insert(slot, at: index)
            fields.insert(Int(slot.field))
        }
    }

    /// Leaves out the values that no field has any more, so that a secret ends with its field.
    private mutating func compact() {
        var (kept, keptSecrets): ([UInt8], [SecretValue]) = ([], [])
        for (index, slot) in slots.enumerated() {
            let start = slot.isSecret ? keptSecrets.count : kept.count
            if slot.isSecret {
                keptSecrets.append(secrets[Int(slot.start)])
            } else {
                kept.append(contentsOf: plain[Int(slot.start)..<Int(slot.start + slot.count)])
            }
            slots[index].start = Int32(start)
        }
        (plain, secrets) = (kept, keptSecrets)
    }
}

extension ISOMessage {
    /// Makes room for a decoded message of so many bytes.
    mutating func reserve(_ count: Int) {
        plain.reserveCapacity(count)
        slots.reserveCapacity(32)
    }

    /// Adds the value of the next field of a decoded message, which `write` appends. Fields come in ascending order.
    mutating func append<Failure: Error>(
        _ field: Int, _ write: (inout [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        let start = plain.count
        try write(&plain)
        slots.append(
            Slot(field: UInt8(field), isSecret: false, start: Int32(start), count: Int32(plain.count - start)))
        fields.insert(field)
    }

    /// Adds the secret value of the next field of a decoded message.
    mutating func append(_ field: Int, secret: SecretValue) {
        slots.append(
            Slot(
                field: UInt8(field), isSecret: true, start: Int32(secrets.count), count: Int32(secret.bytes.count)))
        secrets.append(secret)
        fields.insert(field)
    }
}

/// A secret that several values may share: the value of a field with card data.
public final class SecretValue: Sendable {
    public let bytes: SensitiveBytes

    public init(_ bytes: consuming SensitiveBytes) { self.bytes = bytes }
}
