import CardSecrets
import Cryptography
import EMV
import EntryPoint
import SmartCard
import Synchronization

/// The secure channel of one activation, shared by the copies of a kernel: no number of a message is used twice.
final class Kernel8Channel: Sendable {
    private let channel: Mutex<SecureChannel>

    init(_ channel: consuming SecureChannel) { self.channel = Mutex(channel) }

    func openRecord(_ value: [UInt8]) throws(SecureChannelError) -> SensitiveBytes {
        try channel.withLock { (channel) throws(SecureChannelError) in try channel.openRecord(value) }
    }

    func openEnvelope(_ answer: [UInt8], _ tag: BERTag) throws(SecureChannelError) -> SensitiveBytes {
        try channel.withLock { (channel) throws(SecureChannelError) in try channel.openEnvelope(answer, tag: tag) }
    }

    func sealEnvelope(_ envelope: DataEnvelope) throws(SecureChannelError) -> [UInt8] {
        try channel.withLock { (channel) throws(SecureChannelError) in try channel.sealEnvelope(envelope) }
    }

    func checkWritten(_ envelope: DataEnvelope, _ answer: [UInt8]) throws(SecureChannelError) {
        try channel.withLock { (channel) throws(SecureChannelError) in
            try channel.checkWritten(envelope, answer: answer)
        }
    }

    func isBlindedKey(of key: EllipticCurvePoint) throws(SecureChannelError) -> Bool {
        try channel.withLock { (channel) throws(SecureChannelError) in try channel.isBlindedKey(of: key) }
    }

    func iadMAC(of input: ApplicationMACInput) throws(SecureChannelError) -> [UInt8] {
        try channel.withLock { (channel) throws(SecureChannelError) in try channel.iadMAC(of: input) }
    }

    func checkEDAMAC(_ mac: [UInt8], cryptogram: [UInt8], iadMAC: [UInt8]) throws(SecureChannelError) {
        try channel.withLock { (channel) throws(SecureChannelError) in
            try channel.checkEDAMAC(mac, cryptogram: cryptogram, iadMAC: iadMAC)
        }
    }
}

/// What a kernel knows of one activation, from the answer to SELECT on.
struct Kernel8Transaction: Sendable {
    let configuration: Kernel8Configuration
    var database: Kernel8Database
    var results: Kernel8VerificationResults = [.kernel8] {
        didSet { database[EMVTag.verificationResults] = results.bytes }
    }
    var decision = Kernel8Decision.accept
    /// The decision for which the card was asked for a cryptogram.
    var askedDecision = Kernel8Decision.accept
    var parameters = Kernel8Parameters()
    /// The values of the PDOL, as they were sent.
    let pdolValues: [UInt8]
    let kernelKey: KernelKeyPair

    var channel: Kernel8Channel?
    var relayExchange: RelayResistanceExchange?
    /// The records of the file locator that are not read yet, the next one first.
    var recordsLeft: [Kernel8Record] = []
    /// The contents of the signed records in the order of the file locator.
    var signedRecords: [SecretDataObject] = []
    /// The envelopes to read and to write that are left, the next one first.
    var envelopesToRead: [BERTag] = []
    var envelopesToWrite: [DataEnvelope] = []
    /// Whether an envelope that the terminal wanted could not be read.
    var hasUnreadEnvelope = false
    var cdol1Values: [UInt8] = []
    /// The TVR that the cryptogram covers; nil if CDOL1 did not ask for all of it.
    var coveredResults: [UInt8]?
    /// Whether the card may have counted the transaction.
    var isCryptogramAsked = false
    var localAuthentication = Kernel8Authentication.notPerformed

    /// Whether kernel and card both authenticate the card locally (AIP byte 1, 01).
    var authenticatesLocally: Bool {
        configuration.authenticatesLocally && (database[EMVTag.interchangeProfile]?.first ?? 0) & 0x01 != 0
    }

    /// Byte 2 of the application interchange profile.
    var secondProfileByte: UInt8 { database[EMVTag.interchangeProfile]?.dropFirst().first ?? 0 }

    /// Whether the card can approve offline (AIP byte 2, 08).
    var isOfflineCapable: Bool { secondProfileByte & 0x08 != 0 }

    /// The amount in minor units (tag 9F02); nil if the terminal has given none.
    var amount: UInt64? { database[EMVTag.amount].flatMap { BinaryCodedDecimal.decode($0) } }

    /// Action analysis with the results so far.
    func analyzed() -> Kernel8Decision {
        Kernel8Decision(
            results, denial: configuration.denial, online: configuration.online,
            terminalType: configuration.terminalType, isOfflineCapable: isOfflineCapable)
    }

    /// The languages of the card (5F2D).
    var languages: [UInt8] { database[EMVTag.languagePreference] ?? [] }

    /// Puts a number of a command, or an answer that breaks the channel, into words of the kernel.
    static func deciphering<Result: ~Copyable>(
        _ work: () throws(SecureChannelError) -> Result
    ) throws(Kernel8Error) -> Result {
        do throws(SecureChannelError) { return try work() } catch { throw .channel(error) }
    }

    /// Reads a list of data objects of the card.
    static func list(_ tag: BERTag, _ bytes: [UInt8], limit: Int) throws(Kernel8Error) -> DataObjectList {
        do throws(DataObjectListError) { return try DataObjectList(bytes, limit: limit) } catch {
            switch error {
            case .truncated(let offset), .tagTooLong(let offset): throw .malformedList(tag, offset: offset)
            case .asksForTooMuch: throw .listTooLong(tag)
            }
        }
    }

    /// A command with at most 255 bytes of data, and an answer of at most 256.
    static func command(
        _ cla: UInt8, _ ins: UInt8, _ p1: UInt8, _ p2: UInt8, _ data: [UInt8] = []
    ) -> CommandAPDU? {
        try? CommandAPDU(cla: cla, ins: ins, p1: p1, p2: p2, data: data, expectedLength: 256)
    }
}

/// A record that the file locator names.
struct Kernel8Record: Hashable, Sendable {
    let file: UInt8
    let number: UInt8
    let isSigned: Bool

    /// Reads a file locator (tag 94): four bytes for each file.
    ///
    /// - Throws: ``Kernel8Error/malformedFileLocator(offset:)``
    static func all(in locator: [UInt8]) throws(Kernel8Error) -> [Kernel8Record] {
        guard locator.count.isMultiple(of: 4) else { throw .malformedFileLocator(offset: locator.count / 4 * 4) }
        var records: [Kernel8Record] = []
        for offset in stride(from: 0, to: locator.count, by: 4) {
            let (file, first, last) = (locator[offset] >> 3, locator[offset + 1], locator[offset + 2])
            let signed = Int(locator[offset + 3])
            guard (1...30).contains(file), locator[offset] & 0x07 == 0, first >= 1, last >= first,
                signed <= Int(last - first) + 1
            else { throw .malformedFileLocator(offset: offset) }
            records += (first...last).map {
                Kernel8Record(file: file, number: $0, isSigned: Int($0 - first) < signed)
            }
        }
        return records
    }
}

/// The result of local authentication.
public enum Kernel8Authentication: Hashable, Sendable {
    /// Card or kernel does not authenticate locally, or the transaction ended before.
    case notPerformed
    /// The secure channel was made with a key that the payment system has certified.
    case succeeded
    /// TVR byte 1, 04.
    case failed(LocalAuthenticationError)
}
