public import EMV

extension ApplicationProfile {
    /// The sizes of the card's keys and of those above it.
    var keySizes: CardKeySizes { offlineAuthentication?.keySizes ?? .standard }

    /// The card has a key for dynamic signatures, or has its PIN enciphered under it.
    var hasSigningKey: Bool { offlineAuthentication?.signsDynamically == true || pin?.encipherment == .iccKey }

    /// The card carries certificates, and terminals need the certification authority's key.
    var needsCertificates: Bool { offlineAuthentication != nil || pin?.encipherment != nil }

    /// The payment system: the registered application provider identifier, 5 bytes.
    var rid: [UInt8] { Array(aid.prefix(5)) }
}

extension CardProfile {
    /// The keys of the test certification authority that a terminal needs for this card.
    ///
    /// - Throws: ``TestKeysError``, `CAPublicKeyError`
    public func certificationAuthorityKeys(_ keys: TestKeys) throws -> [CAPublicKey] {
        var found: [CAPublicKey] = []
        for application in applications where application.needsCertificates {
            let key = try keys.certificationAuthorityPublicKey(rid: application.rid, sizes: application.keySizes)
            if !found.contains(key) { found.append(key) }
        }
        return found
    }

    /// The certificates of this card that the payment systems have revoked.
    public var revokedCertificates: [CertificateRevocation] {
        applications.filter { $0.offlineAuthentication?.isRevoked == true }.map {
            CertificateRevocation(
                rid: $0.rid, index: $0.keySizes.certificationAuthorityIndex,
                serialNumber: CardCertificates.revokedSerialNumber)
        }
    }
}
