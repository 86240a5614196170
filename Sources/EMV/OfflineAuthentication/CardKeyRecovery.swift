internal import CardSecrets
internal import Determinism
internal import SmartCard

/// Finds the public keys of issuer and card (EMV Book 2 §5.3, §6.3, §6.4, §7.1). Each is recovered once a
/// transaction, whoever asks for it: data authentication, or the encipherment of a PIN.
enum CardKeyRecovery {
    typealias Failure = OfflineAuthenticationError

    /// The issuer's key, from certificate 90.
    static func issuerKey(_ transaction: inout Transaction) throws(Failure) -> IssuerPublicKey {
        if let known = transaction.issuerKey { return try known.get() }
        do throws(Failure) {
            let key = try recoverIssuerKey(&transaction)
            transaction.issuerKey = .success(key)
            return key
        } catch {
            transaction.issuerKey = .failure(error)
            throw error
        }
    }

    /// The key that the card signs with, from certificate 9F46.
    static func iccKey(_ transaction: inout Transaction) throws(Failure) -> ICCPublicKey {
        if let known = transaction.iccKey { return try known.get() }
        do throws(Failure) {
            let key = try recoverICCKey(&transaction)
            transaction.iccKey = .success(key)
            return key
        } catch {
            transaction.iccKey = .failure(error)
            throw error
        }
    }

    /// The key that a PIN is enciphered under: the one made for it (9F2D), else the one that the card signs with.
    static func pinKey(_ transaction: inout Transaction) throws(Failure) -> ICCPublicKey {
        guard transaction.data.contains(EMVTag.pinCertificate) else { return try iccKey(&transaction) }
        let certificate = try certificate(
            transaction, EMVTag.pinCertificate, EMVTag.pinKeyRemainder, EMVTag.pinKeyExponent)
        let issuer = try issuerKey(&transaction)
        let pan = try pan(transaction)
        do throws(CertificateError) {
            return try ICCPublicKey(
                recoveringPINKey: certificate, issuer: issuer, pan: pan, date: transaction.request.date)
        } catch {
            throw .certificate(error)
        }
    }

    private static func recoverIssuerKey(_ transaction: inout Transaction) throws(Failure) -> IssuerPublicKey {
        let authority = try authorityKey(&transaction)
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

    private static func recoverICCKey(_ transaction: inout Transaction) throws(Failure) -> ICCPublicKey {
        let certificate = try certificate(
            transaction, EMVTag.iccCertificate, EMVTag.iccKeyRemainder, EMVTag.iccKeyExponent)
        let issuer = try issuerKey(&transaction)
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

    private static func authorityKey(_ transaction: inout Transaction) throws(Failure) -> CAPublicKey {
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
        _ transaction: borrowing Transaction, _ certificate: BERTag, _ remainder: BERTag, _ exponent: BERTag
    ) throws(Failure) -> PublicKeyCertificate {
        guard let encoded = transaction.data[certificate] else { throw .missingData(certificate) }
        guard let power = transaction.data[exponent] else { throw .missingData(exponent) }
        return PublicKeyCertificate(
            certificate: encoded, remainder: transaction.data[remainder] ?? [], exponent: power)
    }

    private static func pan(_ transaction: borrowing Transaction) throws(Failure) -> PrimaryAccountNumber {
        do throws(DataObjectError) { return try transaction.data.primaryAccountNumber() } catch {
            throw .missingData(EMVTag.pan)
        }
    }
}
