import CardSecrets
import Cryptography
import Determinism
import SmartCard

/// Recovers the public keys of issuer and card (EMV Book 2 §5.3, §6.3, §6.4, §7.1). Each is recovered once per
/// transaction and shared by data authentication and PIN encipherment.
enum CardKeyRecovery {
    typealias Failure = OfflineAuthenticationError

    /// Returns the issuer's key, from certificate 90.
    static func issuerKey(_ transaction: Transaction) throws(Failure) -> IssuerPublicKey {
        if let known = transaction.issuerKey { return try known.get() }
        do throws(Failure) {
            let key = try recoverIssuerKey(transaction)
            transaction.issuerKey = .success(key)
            return key
        } catch {
            transaction.issuerKey = .failure(error)
            throw error
        }
    }

    /// Returns the card's signature key, from certificate 9F46.
    static func iccKey(_ transaction: Transaction) throws(Failure) -> ICCPublicKey {
        if let known = transaction.iccKey { return try known.get() }
        do throws(Failure) {
            let key = try recoverICCKey(transaction)
            transaction.iccKey = .success(key)
            return key
        } catch {
            transaction.iccKey = .failure(error)
            throw error
        }
    }

    /// Returns the PIN encipherment key (9F2D), or the card's signature key if there is none.
    static func pinKey(_ transaction: Transaction) throws(Failure) -> ICCPublicKey {
        guard transaction.data.contains(EMVTag.pinCertificate) else { return try iccKey(transaction) }
        let certificate = try certificate(
            transaction, EMVTag.pinCertificate, EMVTag.pinKeyRemainder, EMVTag.pinKeyExponent)
        let issuer = try issuerKey(transaction)
        let pan = try pan(transaction)
        do throws(CertificateError) {
            return try ICCPublicKey(
                recoveringPINKey: certificate, issuer: issuer, pan: pan, date: transaction.request.date)
        } catch {
            throw .certificate(error)
        }
    }

    private static func recoverIssuerKey(_ transaction: Transaction) throws(Failure) -> IssuerPublicKey {
        let authority = try authorityKey(transaction)
        let certificate = try certificate(
            transaction, EMVTag.issuerCertificate, EMVTag.issuerKeyRemainder, EMVTag.issuerKeyExponent)
        let pan = try pan(transaction)
        do throws(CertificateError) {
            return try IssuerPublicKey(
                recovering: certificate, authority: authority, pan: pan, date: transaction.request.date,
                revoked: Set(transaction.terminal.revokedCertificates))
        } catch {
            throw .certificate(error)
        }
    }

    private static func recoverICCKey(_ transaction: Transaction) throws(Failure) -> ICCPublicKey {
        let certificate = try certificate(
            transaction, EMVTag.iccCertificate, EMVTag.iccKeyRemainder, EMVTag.iccKeyExponent)
        let issuer = try issuerKey(transaction)
        let pan = try pan(transaction)
        var staticData = try transaction.copyStaticData()
        defer { staticData.wipe() }
        do throws(CertificateError) {
            return try ICCPublicKey(
                recovering: certificate, issuer: issuer, pan: pan, staticData: staticData,
                date: transaction.request.date)
        } catch {
            throw .certificate(error)
        }
    }

    private static func authorityKey(_ transaction: Transaction) throws(Failure) -> CAPublicKey {
        guard let index = transaction.data[EMVTag.certificationAuthorityIndex]?.first else {
            throw .missingData(EMVTag.certificationAuthorityIndex)
        }
        let rid = Array((transaction.application?.candidate.dfName ?? []).prefix(5))
        let keys = transaction.terminal.certificationAuthorityKeys
        guard let key = keys.first(where: { $0.index == index && $0.rid == rid }) else {
            throw .authorityKeyMissing(rid: rid, index: index)
        }
        transaction.data.set(EMVTag.terminalAuthorityIndex, [index])
        return key
    }

    private static func certificate(
        _ transaction: Transaction, _ certificate: BERTag, _ remainder: BERTag, _ exponent: BERTag
    ) throws(Failure) -> PublicKeyCertificate {
        guard let encoded = transaction.data[certificate] else { throw .missingData(certificate) }
        guard let power = transaction.data[exponent] else { throw .missingData(exponent) }
        return PublicKeyCertificate(
            certificate: encoded, remainder: transaction.data[remainder] ?? [], exponent: power)
    }

    private static func pan(_ transaction: Transaction) throws(Failure) -> PrimaryAccountNumber {
        do throws(DataObjectError) { return try transaction.data.primaryAccountNumber() } catch {
            throw .missingData(EMVTag.pan)
        }
    }
}

/// The static data to be authenticated (EMV Book 3 §10.3). Secret, because it normally contains the PAN.
struct OfflineAuthenticationInput: ~Copyable {
    /// The records, which are all that XDA takes.
    let records: SensitiveBytes
    /// The AIP, if the tag list names it.
    let rest: [UInt8]
    /// Why the data cannot be used, so that SDA, DDA, and CDA fail; nil if it can.
    let defect: StaticDataDefect?
    /// Why the records cannot be used, so that XDA fails; nil if they can.
    var recordDefect: StaticDataDefect? { defect == .record ? .record : nil }

    /// No data: no record was read.
    init() { self.init(records: [], rest: [], defect: .record) }

    init(records: [UInt8], rest: [UInt8], defect: StaticDataDefect?) {
        self.records = SensitiveBytes(records)
        (self.rest, self.defect) = (rest, defect)
    }
}

/// Collects the static data while the records are read.
struct OfflineAuthenticationInputBuilder: ~Copyable {
    private var bytes: [UInt8] = []
    private var defect: StaticDataDefect?

    /// Adds a record: in files 1...10 the content of template 70, in other files the whole record.
    ///
    /// - Parameters:
    ///   - record: the response data of READ RECORD.
    ///   - content: the value of template 70; nil if the record is not a template 70.
    ///   - file: short file identifier, 1...30.
    mutating func add(_ record: [UInt8], content: [UInt8]?, file: UInt8) {
        guard let content else {
            defect = .record
            return
        }
        bytes += file <= 10 ? content : record
    }

    /// Adds the data in the tag list (9F4A), which may only contain the AIP (82).
    consuming func finish(tagList: [UInt8]?, profile: [UInt8]) -> OfflineAuthenticationInput {
        if let tagList, tagList != [0x82] { defect = defect ?? .tagList }
        let input = OfflineAuthenticationInput(
            records: bytes, rest: tagList == [0x82] ? profile : [], defect: defect)
        bytes.wipe()
        return input
    }
}
