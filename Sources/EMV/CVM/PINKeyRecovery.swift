internal import CardSecrets
internal import Cryptography
internal import Determinism
internal import SmartCard

/// Finds the card's public key that a PIN is enciphered under (EMV Book 2 §7.1): the key made for it (9F2D), else
/// the card's key for data authentication (9F46).
enum PINKeyRecovery {
    /// - Returns: nil when the terminal lacks the payment system's key, the card lacks a certificate, or one of
    ///   them is not genuine: enciphered offline PIN fails then.
    static func recover(_ transaction: borrowing Transaction) -> ICCPublicKey? {
        guard let authority = authorityKey(transaction),
            let issuerCertificate = certificate(
                transaction, EMVTag.issuerCertificate, EMVTag.issuerKeyRemainder, EMVTag.issuerKeyExponent)
        else { return nil }
        let date = transaction.request.date
        do {
            let pan = try transaction.data.primaryAccountNumber()
            let issuer = try IssuerPublicKey(recovering: issuerCertificate, authority: authority, pan: pan, date: date)
            if let own = certificate(
                transaction, EMVTag.pinCertificate, EMVTag.pinKeyRemainder, EMVTag.pinKeyExponent)
            {
                return try ICCPublicKey(recoveringPINKey: own, issuer: issuer, pan: pan, date: date)
            }
            guard
                let icc = certificate(
                    transaction, EMVTag.iccCertificate, EMVTag.iccKeyRemainder, EMVTag.iccKeyExponent),
                var staticData = transaction.copyStaticData()
            else { return nil }
            defer { staticData.wipe() }
            return try ICCPublicKey(recovering: icc, issuer: issuer, pan: pan, staticData: staticData, date: date)
        } catch {
            return nil
        }
    }

    private static func authorityKey(_ transaction: borrowing Transaction) -> CAPublicKey? {
        guard let index = transaction.data[EMVTag.certificationAuthorityIndex]?.first,
            let rid = transaction.application?.candidate.dfName.prefix(5)
        else { return nil }
        return transaction.terminal.certificationAuthorityKeys.first { $0.index == index && $0.rid.elementsEqual(rid) }
    }

    private static func certificate(
        _ transaction: borrowing Transaction, _ certificate: BERTag, _ remainder: BERTag, _ exponent: BERTag
    ) -> PublicKeyCertificate? {
        guard let encoded = transaction.data[certificate], let exponent = transaction.data[exponent] else { return nil }
        return PublicKeyCertificate(
            certificate: encoded, remainder: transaction.data[remainder] ?? [], exponent: exponent)
    }
}
