import CardSecrets
import Cryptography
import Money
import SmartCard

/// The personalized, constant data of an application: names, files, data objects, and keys.
struct CardApplication: Sendable {
    let profile: ApplicationProfile
    let keys: CardKeys
    /// All data objects that can be in a record, including PAN and track data.
    let values: [BERTag: SealedBytes]
    /// The files named by the application file locator, in its order.
    let files: [File]

    struct File: Hashable, Sendable {
        /// The short file identifier, 1...10.
        let identifier: UInt8
        /// The tags of each record, record 1 first.
        var records: [[BERTag]] = []
        /// The number of records, from the first, that are part of offline data authentication.
        var authenticatedCount = 0
    }

    /// The application file locator (tag 94; EMV Book 3 §10.2).
    var fileLocator: [UInt8] {
        profile.fileLocator
            ?? files.flatMap { file in
                [file.identifier << 3, 1, UInt8(file.records.count), UInt8(file.authenticatedCount)]
            }
    }

    /// The short file identifier of the transaction log (tag 9F4D).
    static let logFile: UInt8 = 11

    /// The layout of a transaction log record (tag 9F4F): ATC, date, type, amount, currency, and cryptogram
    /// information data.
    static let logFormat: [(tag: BERTag, count: Int)] = [
        (0x9F36, 2), (0x9A, 3), (0x9C, 1), (0x9F02, 6), (0x5F2A, 2), (0x9F27, 1),
    ]

    /// Creates the application.
    ///
    /// - Parameters:
    ///   - profile: the application's profile.
    ///   - keys: its secret keys.
    ///   - certificates: the data objects of offline data authentication and PIN encipherment.
    /// - Throws: ``SimulatedCardError/recordTooLong(file:record:)``
    init(
        _ profile: ApplicationProfile, keys: CardKeys, certificates: [BERTag: [UInt8]]
    ) throws(SimulatedCardError) {
        self.profile = profile
        self.keys = keys
        var values = Self.values(profile)
        for (tag, value) in certificates { values[tag] = SealedBytes(value) }
        self.values = values

        var files: [File] = []
        for layout in profile.records {
            var file = File(identifier: layout.file)
            for (index, tags) in layout.records.enumerated() {
                let present = tags.filter { values[$0] != nil }
                guard !present.isEmpty else { continue }
                file.records.append(present)
                if index < Int(layout.authenticatedRecords) { file.authenticatedCount += 1 }
                let objects = present.flatMap { tag in BERTLV.encode(tag, values[tag]?.copy() ?? []) }
                guard BERTLV.encode(0x70, objects).count <= 254 else {
                    throw .recordTooLong(file: layout.file, record: file.records.count)
                }
            }
            if !file.records.isEmpty { files.append(file) }
        }
        self.files = files
    }

    /// The data that the issuer signs (EMV Book 3 §10.3): the records that the AFL marks for authentication. Then, for
    /// XDA, AIP, AID, and PDOL as data objects; otherwise the AIP, if the static data authentication tag list names it.
    var staticData: [UInt8] {
        var data = files.flatMap { file in
            file.records.prefix(file.authenticatedCount).flatMap { tags in
                tags.flatMap { BERTLV.encode($0, values[$0]?.copy() ?? []) }
            }
        }
        if profile.signsOnCurve {
            data += BERTLV.encode(0x82, profile.interchangeProfile) + BERTLV.encode(0x9F06, profile.aid)
            if let pdol = profile.pdol { data += BERTLV.encode(0x9F38, pdol.encoded) }
        } else if profile.offlineAuthentication?.staticDataTagList == [0x82] {
            data += profile.interchangeProfile
        }
        return data
    }

    /// The answer to SELECT (tag 6F; EMV Book 1 §11.3.4).
    var fileControlInformation: [UInt8] {
        var proprietary = [BERTLV(0x50, Array(profile.label.utf8))]
        if let priorityIndicator { proprietary.append(BERTLV(0x87, [priorityIndicator])) }
        if let pdol = profile.pdol { proprietary.append(BERTLV(0x9F38, pdol.encoded)) }
        if let languages = profile.languages { proprietary.append(BERTLV(0x5F2D, Array(languages.utf8))) }
        proprietary += preferredName
        if profile.logRecords > 0 {
            proprietary.append(
                BERTLV(0xBF0C, children: [BERTLV(0x9F4D, [Self.logFile, profile.logRecords])]))
        }
        return BERTLV(0x6F, children: [BERTLV(0x84, profile.aid), BERTLV(0xA5, children: proprietary)]).encoded
    }

    /// The application's entry in the payment system directory (tag 61; EMV Book 1 §12.2.3).
    var directoryEntry: BERTLV {
        var objects = [BERTLV(0x4F, profile.aid), BERTLV(0x50, Array(profile.label.utf8))]
        if let priorityIndicator { objects.append(BERTLV(0x87, [priorityIndicator])) }
        objects += preferredName.filter { $0.tag == 0x9F12 }
        return BERTLV(0x61, children: objects)
    }

    private var preferredName: [BERTLV] {
        guard let name = profile.preferredName else { return [] }
        // The issuer code table index names the part of ISO 8859 for the name: part 1.
        return [BERTLV(0x9F11, [1]), BERTLV(0x9F12, name.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })]
    }

    private var priorityIndicator: UInt8? {
        let confirmation: UInt8 = profile.needsConfirmation ? 0x80 : 0
        return profile.priority.map { $0 | confirmation } ?? (profile.needsConfirmation ? confirmation : nil)
    }

    /// The data objects that can be in a record, but for those of certificates.
    static func values(_ profile: ApplicationProfile) -> [BERTag: SealedBytes] {
        var digits = profile.pan.copy()
        var pan = TestPAN.pack(digits)
        let service = threeDigits(profile.serviceCode)
        let expiry = profile.expiry.encoded.prefix(2).flatMap { [$0 >> 4, $0 & 0x0F] }
        // PAN, separator, expiry YYMM, service code, discretionary data.
        var trackTwo = TestPAN.pack(digits + [0x0D] + expiry + service.suffix(3) + [0, 0, 0, 0, 0])
        defer {
            digits.wipe()
            pan.wipe()
            trackTwo.wipe()
        }

        var values: [BERTag: [UInt8]] = [
            0x5F24: profile.expiry.encoded, 0x5F28: packedNumber(profile.issuerCountry),
            0x5F30: packedNumber(profile.serviceCode), 0x8C: profile.cdol1.encoded, 0x8D: profile.cdol2.encoded,
            0x9F42: packedNumber(profile.currency.numericCode), 0x9F08: profile.version,
            0x9F0D: profile.actionCodes.default, 0x9F0E: profile.actionCodes.denial,
            0x9F0F: profile.actionCodes.online,
        ]
        values[0x5F34] = profile.panSequenceNumber.map { [($0 / 10) << 4 | $0 % 10] }
        values[0x5F25] = profile.effective?.encoded
        values[0x5F20] = profile.cardholderName.map { Array($0.utf8) }
        values[0x9F07] = profile.usage?.encoded
        values[0x8E] = profile.cardholderVerification?.encoded
        if let authentication = profile.offlineAuthentication {
            values[0x9F4A] = authentication.staticDataTagList
            if authentication.methods.contains(.dda), !authentication.ddol.entries.isEmpty {
                values[0x9F49] = authentication.ddol.encoded
            }
        }
        values[0x9F14] = profile.risk.consecutiveOfflineLimits.map { [$0.lower] }
        values[0x9F23] = profile.risk.consecutiveOfflineLimits.map { [$0.upper] }
        var sealed = values.mapValues { SealedBytes($0) }
        sealed[0x5A] = SealedBytes(pan)
        sealed[0x57] = SealedBytes(trackTwo)
        return sealed
    }

    private static func threeDigits(_ number: UInt16) -> [UInt8] {
        [0, UInt8(number / 100 % 10), UInt8(number / 10 % 10), UInt8(number % 10)]
    }

    /// Encodes three digits as two bytes with a leading zero (format n 3).
    private static func packedNumber(_ number: UInt16) -> [UInt8] { TestPAN.pack(threeDigits(number)) }
}

/// The secret keys of one application of a card.
final class CardKeys: Sendable {
    /// The ICC master key for application cryptograms.
    let applicationCryptogram: SensitiveBytes
    /// The ICC master key for the MACs of issuer scripts.
    let scriptMAC: SensitiveBytes
    /// The ICC master key for confidential data in issuer scripts.
    let scriptConfidentiality: SensitiveBytes
    /// The private key for enciphered PINs; nil if the card takes none.
    let pinDecipherment: RSAPrivateKey?
    /// The private key for dynamic signatures; nil if the card has none.
    let signing: RSAPrivateKey?
    /// The private key for the signatures of XDA; nil if the card has none.
    let ellipticSigning: EllipticCurvePrivateKey?

    init(
        applicationCryptogram: consuming SensitiveBytes, scriptMAC: consuming SensitiveBytes,
        scriptConfidentiality: consuming SensitiveBytes, pinDecipherment: RSAPrivateKey?, signing: RSAPrivateKey?,
        ellipticSigning: EllipticCurvePrivateKey?
    ) {
        self.applicationCryptogram = applicationCryptogram
        self.scriptMAC = scriptMAC
        self.scriptConfidentiality = scriptConfidentiality
        self.pinDecipherment = pinDecipherment
        self.signing = signing
        self.ellipticSigning = ellipticSigning
    }
}
