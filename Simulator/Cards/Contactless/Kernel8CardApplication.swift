import CardSecrets
import ContactlessKernel8
import Cryptography
import Determinism
import EMV
import SmartCard

/// The personalized, constant data of a contactless application: records, certificates, and keys.
struct Kernel8CardApplication: Sendable {
    struct Record: Sendable {
        let file: UInt8
        let number: UInt8
        let isSigned: Bool
        /// The data objects, without a template.
        let content: SealedBytes
    }

    let profile: ContactlessProfile
    let records: [Record]
    /// The hash of the signed records, which the card's certificate has too.
    let staticDataHash: [UInt8]
    /// The card's certified key pair.
    let key: EllipticCurvePrivateKey
    /// The ICC master key for application cryptograms (AES, 16 bytes).
    let masterKey: SealedBytes
    /// Tag 9F10 instead of the layout of the common core definitions; nil for the latter.
    var issuerApplicationData: [UInt8]?
    /// Tags 5F24 and 5F25 (YYMMDD), which the card compares with the terminal's date.
    var expiry: [UInt8]?
    var effective: [UInt8]?
    /// The last four digits of the PAN.
    var lastFour = ""
    /// Whether the issuer has blocked the application: it is selected with a warning, and gives nothing.
    var isBlocked = false

    /// The certificates of an application.
    struct Certificates: Sendable {
        /// Tag 8F.
        let index: UInt8
        /// Tag 90.
        let issuer: [UInt8]
        /// Tag 9F46.
        let card: [UInt8]
    }

    /// Lays out the records.
    ///
    /// - Parameters:
    ///   - profile: the contactless side of the card's profile.
    ///   - signed: the content of the one signed record.
    ///   - key: the card's certified key pair.
    ///   - masterKey: the ICC master key for application cryptograms.
    ///   - certificates: returns the certificates for the hash of the static data; nil without local authentication.
    /// - Throws: a failure of the keys.
    init(
        _ profile: ContactlessProfile, signed: [UInt8], key: EllipticCurvePrivateKey, masterKey: SealedBytes,
        certificates: (_ staticDataHash: [UInt8]) throws(SimulatedCardError) -> Certificates
    ) throws(SimulatedCardError) {
        (self.profile, self.key, self.masterKey) = (profile, key, masterKey)
        let extended = (try? StaticDataHash.tags(in: profile.extendedTags ?? [])) ?? []
        do throws(CryptographyError) {
            staticDataHash = try StaticDataHash.compute(
                records: SensitiveBytes(signed), extendedTags: extended,
                interchangeProfile: profile.interchangeProfile
            ) { tag in
                switch tag {
                case EMVTag.applicationLabel: Array(profile.label.utf8)
                case EMVTag.dfName: profile.aid
                case EMVTag.pdol: profile.pdol.encoded
                case EMVTag.languagePreference: profile.languages.map { Array($0.utf8) }
                default: nil
                }
            }
        } catch {
            throw .keys(.cryptography(error))
        }
        var records = [Record(file: 1, number: 1, isSigned: true, content: SealedBytes(signed))]
        if profile.authenticatesLocally {
            let issued = try certificates(staticDataHash)
            var second = BERTLV.encode(0x8F, [issued.index]) + BERTLV.encode(0x90, issued.issuer)
            switch profile.fault {
            case .duplicateObject: second += BERTLV.encode(0x5F34, [0x77])
            case .terminalObject: second += BERTLV.encode(0x9F02, [0, 0, 0, 0, 0, 1])
            default: break
            }
            records.append(Record(file: 2, number: 2, isSigned: false, content: SealedBytes(second)))
            let third = BERTLV.encode(0x9F46, issued.card)
            records.append(Record(file: 2, number: 3, isSigned: false, content: SealedBytes(third)))
        }
        self.records = records
    }

    /// The application file locator (tag 94).
    var fileLocator: [UInt8] {
        [0x08, 0x01, 0x01, 0x01] + (profile.authenticatesLocally ? [0x10, 0x02, 0x03, 0x00] : [])
    }

    /// The answer to SELECT.
    var fileControlInformation: [UInt8] {
        var proprietary = [BERTLV(0x50, Array(profile.label.utf8))]
        if let languages = profile.languages { proprietary.append(BERTLV(0x5F2D, Array(languages.utf8))) }
        proprietary.append(BERTLV(0x9F38, profile.pdol.encoded))
        // Version 2, and the card notices that the field was off.
        let qualifier: [UInt8] = [0x02] + profile.suites + [0x80, 0x00, 0x00]
        proprietary.append(BERTLV(0xBF0C, children: [BERTLV(Kernel8Tag.cardQualifier, qualifier)]))
        return BERTLV(0x6F, children: [BERTLV(0x84, profile.aid), BERTLV(0xA5, children: proprietary)]).encoded
    }

    /// The entry of the contactless directory, which asks for kernel 8.
    var directoryEntry: BERTLV {
        BERTLV(
            0x61,
            children: [
                BERTLV(0x4F, profile.aid), BERTLV(0x50, Array(profile.label.utf8)), BERTLV(0x87, [0x01]),
                BERTLV(0x9F2A, [0x08]),
            ])
    }
}

extension CardPersonalization {
    /// Makes the contactless application of a card: its records have the data of the chip's first application.
    func contactless(
        _ profile: ContactlessProfile, _ account: ApplicationProfile, _ curves: TestECKeys
    ) throws(SimulatedCardError) -> Kernel8CardApplication {
        guard let pan = account.primaryAccountNumber() else { throw .unusablePAN }
        let values = CardApplication.values(account)
        var signed: [UInt8] = []
        defer { signed.wipe() }
        for tag: BERTag in [0x5A, 0x5F34, 0x5F24, 0x5F25, 0x5F28, 0x9F07, 0x57] {
            guard var value = values[tag]?.copy() else { continue }
            // The seventh digit of the account number, and another one.
            if tag == 0x57, profile.fault == .otherTrack { value[3] ^= 0x10 }
            signed += BERTLV.encode(tag, value)
        }
        if let tags = profile.extendedTags { signed += BERTLV.encode(Kernel8Tag.extendedTagList, tags) }
        let masterKey: SealedBytes
        do throws(CryptogramError) {
            masterKey = try keys.withMasterKeys(.aes) { (masters) throws(CryptogramError) in
                var key = try CryptogramVersion.aes.masterKey(
                    issuerMasterKey: masters.applicationCryptogram, pan: pan,
                    panSequenceNumber: account.panSequenceNumber
                ).withUnsafeBytes { [UInt8]($0) }
                defer { key.wipe() }
                return SealedBytes(key)
            }
        } catch {
            throw .keys(error)
        }
        var application = try Kernel8CardApplication(
            profile, signed: signed, key: curves.card, masterKey: masterKey
        ) { (hash) throws(SimulatedCardError) in
            try Self.certificates(profile, identifier: Array(values[0x5A]?.copy().prefix(3) ?? []), hash, curves)
        }
        (application.expiry, application.effective) = (account.expiry.encoded, account.effective?.encoded)
        application.isBlocked = account.isBlocked
        application.lastFour = account.pan.copy().suffix(4).map { String($0) }.joined()
        return application
    }

    /// Issues the certificates (EMV Book E chapter 5). The same card always gets the same ones.
    private static func certificates(
        _ profile: ContactlessProfile, identifier: [UInt8], _ hash: [UInt8], _ keys: TestECKeys
    ) throws(SimulatedCardError) -> Kernel8CardApplication.Certificates {
        let suite = profile.certificates
        let index = TestECKeys.authorityIndex(suite)
        var (issuerDigits, hash) = (identifier + [0xFF, 0xFF], hash)
        if profile.fault == .otherIssuer, !issuerDigits.isEmpty { issuerDigits[0] = 0x47 }
        if profile.fault == .staticData { hash[0] ^= 0x01 }
        let issuerYear: UInt8 = profile.fault == .expiredIssuerCertificate ? 0x20 : 0x49
        let cardYear: UInt8 = profile.fault == .expiredCardCertificate ? 0x20 : 0x49
        let authority: EllipticCurvePrivateKey
        let issuer: EllipticCurvePrivateKey
        do throws(TestKeysError) { (authority, issuer) = (try keys.authority(suite), try keys.issuer(suite)) } catch {
            throw .testKeys(error)
        }
        let issuerFields: [UInt8] =
            [0x12, 0x00] + issuerDigits + [suite.rawValue, 0x20, issuerYear, 0x12, 0x31, 0x00, 0x00, 0x01]
            + profile.rid + [index] + issuer.publicKey.x
        let cardFields: [UInt8] =
            [0x14, 0x00, SecureChannelSuite.p256AES128.rawValue, 0x20, cardYear, 0x12, 0x31, 0x23, 0x59]
            + [0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x01, 0x02] + hash + keys.card.publicKey.x
        return Kernel8CardApplication.Certificates(
            index: profile.fault == .unknownAuthority ? 0xFF : index,
            issuer: try issuerFields + sign(issuerFields, authority), card: try cardFields + sign(cardFields, issuer))
    }

    /// The nonce is made of key and message too, so a source that repeats itself is no danger.
    private static func sign(
        _ fields: [UInt8], _ key: EllipticCurvePrivateKey
    ) throws(SimulatedCardError) -> [UInt8] {
        do throws(CryptographyError) {
            return try ECSDSA.sign(fields, key: key, random: SeededRandomSource(seed: 0))
        } catch {
            throw .keys(.cryptography(error))
        }
    }
}
