internal import CardSecrets
internal import Cryptography
internal import EMV
internal import SmartCard

/// Puts keys and certificates into an application, as an issuer does before it hands a card out.
struct CardPersonalisation {
    let keys: TestKeys

    func application(_ profile: ApplicationProfile) throws(SimulatedCardError) -> CardApplication {
        guard let pan = profile.primaryAccountNumber() else { throw .unusablePAN }
        let version = profile.cryptogram
        let cardKeys: CardKeys
        do throws(CryptogramError) {
            cardKeys = try keys.withMasterKeys(version.cipher) { (masters) throws(CryptogramError) in
                CardKeys(
                    applicationCryptogram: try version.masterKey(
                        issuerMasterKey: masters.applicationCryptogram, pan: pan,
                        panSequenceNumber: profile.panSequenceNumber),
                    scriptMAC: try version.masterKey(
                        issuerMasterKey: masters.scriptMAC, pan: pan, panSequenceNumber: profile.panSequenceNumber),
                    scriptConfidentiality: try version.masterKey(
                        issuerMasterKey: masters.scriptConfidentiality, pan: pan,
                        panSequenceNumber: profile.panSequenceNumber),
                    pinDecipherment: profile.pin?.encipherment == .iccKey
                        ? keys.icc.duplicate() : keys.iccPIN.duplicate())
            }
        } catch {
            throw .keys(error)
        }
        return try certified(profile, pan: pan, keys: cardKeys)
    }

    /// Certificates are issued when something is enciphered or signed under the keys that they certify.
    private func certified(
        _ profile: ApplicationProfile, pan: borrowing PrimaryAccountNumber, keys cardKeys: CardKeys
    ) throws(SimulatedCardError) -> CardApplication {
        let bare = try CardApplication(profile, keys: cardKeys, certificates: [:])
        guard let encipherment = profile.pin?.encipherment else { return bare }
        var objects: [BERTag: [UInt8]] = [:]
        func add(_ certificate: PublicKeyCertificate, _ tags: (BERTag, BERTag, BERTag)) {
            objects[tags.0] = certificate.certificate
            if !certificate.remainder.isEmpty { objects[tags.1] = certificate.remainder }
            objects[tags.2] = certificate.exponent
        }
        do throws(CryptographyError) {
            let issuing = CardCertificates(keys: keys)
            objects[0x8F] = [keys.certificationAuthorityIndex]
            add(try issuing.issuer(pan: pan), (0x90, 0x92, 0x9F32))
            switch encipherment {
            case .pinKey: add(try issuing.iccPIN(pan: pan), (0x9F2D, 0x9F2F, 0x9F2E))
            case .iccKey:
                add(try issuing.icc(pan: pan, staticData: bare.staticData), (0x9F46, 0x9F48, 0x9F47))
            }
        } catch {
            throw .keys(.cryptography(error))
        }
        return try CardApplication(profile, keys: cardKeys, certificates: objects)
    }
}
