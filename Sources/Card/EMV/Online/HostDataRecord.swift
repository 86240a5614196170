public import CardSecrets
public import SmartCard

/// The data objects that a contactless kernel has for the host (its data record), taken apart: card number and track
/// data stay secret bytes, and everything else can be read.
public final class HostDataRecord: Sendable {
    private let open: [BERTag: [UInt8]]
    private let secrets: [BERTag: SecretDataObject]
    private let coveredResults: [UInt8]?

    /// Reads encoded data objects, one after the other. Of two with the same tag the first counts. A card number (5A)
    /// and track 2 equivalent data (57) must be of the same account, as those of a card with contacts.
    ///
    /// - Parameters:
    ///   - record: The data record.
    ///   - coveredResults: The terminal verification results (95) as the cryptogram covers them, for the host; nil for
    ///     those of the record.
    /// - Throws: ``HostDataRecordError``
    public init(_ record: SecretDataObject, coveredResults: [UInt8]? = nil) throws(HostDataRecordError) {
        var bytes = record.value.withUnsafeBytes { Array($0) }
        defer { bytes.wipe() }
        var open: [BERTag: [UInt8]] = [:]
        var secrets: [BERTag: SecretDataObject] = [:]
        var reader = BERTLVReader(0..<bytes.count)
        do throws(BERTLVError) {
            while let object = try reader.next(in: bytes.span) {
                var value = Array(bytes[object.value])
                if DataElement[object.tag]?.isSecret == true {
                    if secrets[object.tag] == nil { secrets[object.tag] = SecretDataObject(value) }
                    value.wipe()
                } else if open[object.tag] == nil {
                    open[object.tag] = value
                }
            }
        } catch {
            throw .malformed(error)
        }
        (self.open, self.secrets, self.coveredResults) = (open, secrets, coveredResults)
        try checkAccount()
    }

    /// - Throws: ``HostDataRecordError/accountMismatch``; ``HostDataRecordError/data(_:)`` for one that cannot be read
    ///   where there are both.
    private func checkAccount() throws(HostDataRecordError) {
        guard secrets[EMVTag.pan] != nil, secrets[EMVTag.trackTwo] != nil else { return }
        let number = try accountNumber(EMVTag.pan)
        let track = try accountNumber(EMVTag.trackTwo)
        guard number.isEqual(to: track) else { throw .accountMismatch }
    }

    /// Returns the value of a data object that is not secret.
    public subscript(tag: BERTag) -> [UInt8]? { open[tag] }

    /// The ICC data of a message to the host (DE 55), without card number and track data. The terminal verification
    /// results are those of the cryptogram, which the issuer verifies with them (EMV Book 4 §12.1.1).
    public var iccData: [BERTLV] {
        ICCData.contactless.compactMap { tag in
            let covered = tag == EMVTag.verificationResults ? coveredResults : nil
            return open[tag].map { BERTLV(tag, covered ?? $0) }
        }
    }

    /// Tag 5F34, 0...99; nil if there is none, or it is not two digits.
    public var panSequenceNumber: UInt8? {
        guard let value = open[EMVTag.panSequenceNumber], value.count == 1,
            let number = BinaryCodedDecimal.decode(value[...])
        else { return nil }
        return UInt8(clamping: number)
    }

    /// Tag 5F24, YYMM in BCD, two bytes; empty if there is none.
    private var expiry: [UInt8] { Array((open[EMVTag.expirationDate] ?? []).prefix(2)) }

    /// Returns the card number: that of 5A, otherwise that of track 2 equivalent data (57).
    ///
    /// - Throws: ``HostDataRecordError/data(_:)``
    public func primaryAccountNumber() throws(HostDataRecordError) -> PrimaryAccountNumber {
        try accountNumber(secrets[EMVTag.pan] == nil ? EMVTag.trackTwo : EMVTag.pan)
    }

    private func accountNumber(_ tag: BERTag) throws(HostDataRecordError) -> PrimaryAccountNumber {
        guard let object = secrets[tag] else { throw .data(.missing(EMVTag.pan)) }
        var value = object.value.withUnsafeBytes { Array($0) }
        defer { value.wipe() }
        do throws(PrimaryAccountNumberError) {
            guard tag == EMVTag.pan else { return try PrimaryAccountNumber(trackTwo: value) }
            return try PrimaryAccountNumber(compressedNumeric: value)
        } catch {
            throw .data(.wrongFormat(tag))
        }
    }

    /// Makes the authorization request for the issuer.
    ///
    /// - Parameter pinBlock: That of an online PIN; nil without one.
    /// - Returns: The request, with copies of the card's data.
    /// - Throws: ``HostDataRecordError/data(_:)``
    public func request(pinBlock: EncipheredPINBlock?) throws(HostDataRecordError) -> OnlineAuthorizationRequest {
        OnlineAuthorizationRequest(
            pan: try primaryAccountNumber(), trackTwo: trackTwo(),
            panSequenceNumber: panSequenceNumber, expiry: expiry, iccData: iccData, pinBlock: pinBlock,
            isContactless: true)
    }

    /// Returns a copy of the card's data, for a host whose advices demand it.
    ///
    /// - Throws: ``HostDataRecordError/data(_:)``
    public func keptCard() throws(HostDataRecordError) -> KeptCard {
        KeptCard(
            pan: try primaryAccountNumber(), expiry: expiry,
            trackTwo: SensitiveBytes.copy(trackTwo()), trackOne: SensitiveBytes([]))
    }

    private func trackTwo() -> SensitiveBytes? {
        guard let object = secrets[EMVTag.trackTwo] else { return nil }
        return object.value.duplicate()
    }
}

/// Why a kernel's data for the host cannot be used. Contains tags and offsets, never values.
public enum HostDataRecordError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The record is not BER-TLV.
    case malformed(BERTLVError)
    case data(DataObjectError)
    /// The card number (5A) and track 2 equivalent data (57) are of different accounts.
    case accountMismatch

    public var description: String {
        switch self {
        case .malformed(let error): "the kernel's data for the host cannot be read: \(error)"
        case .data(let error): "the kernel's data for the host: \(error)"
        case .accountMismatch: "the card's account number and its track 2 differ: use another card"
        }
    }
}
