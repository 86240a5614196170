import CardSecrets
import Cryptography
import EMV
import SmartCard

/// Loads keys and certificates into an application, as an issuer does before it issues a card.
struct CardPersonalization {
    let keys: TestKeys

    func application(_ profile: ApplicationProfile) throws(SimulatedCardError) -> CardApplication {
        guard let pan = profile.primaryAccountNumber() else { throw .unusablePAN }
        let version = profile.cryptogram
        let (signing, pinDecipherment) = try rsaKeys(profile)
        let curves = try profile.signsOnCurve ? ellipticKeys() : nil
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
                    pinDecipherment: pinDecipherment, signing: signing, ellipticSigning: curves?.card)
            }
        } catch {
            throw .keys(error)
        }
        if let curves { return try certified(profile, keys: cardKeys, curves) }
        return try certified(profile, pan: pan, keys: cardKeys)
    }

    private func ellipticKeys() throws(SimulatedCardError) -> TestECKeys {
        do throws(TestKeysError) { return try TestECKeys.embedded() } catch { throw .testKeys(error) }
    }

    /// Returns the RSA keys that the card needs.
    private func rsaKeys(
        _ profile: ApplicationProfile
    ) throws(SimulatedCardError) -> (signing: RSAPrivateKey?, pinDecipherment: RSAPrivateKey?) {
        do throws(TestKeysError) {
            let signing = profile.hasSigningKey ? try keys.rsa.key(profile.keySizes.key(.icc)) : nil
            switch profile.pin?.encipherment {
            case .iccKey: return (signing, signing)
            case .pinKey: return (signing, try keys.rsa.key(profile.keySizes.key(.iccPIN)))
            case nil: return (signing, nil)
            }
        } catch {
            throw .testKeys(error)
        }
    }

    /// Issues the certificates for the keys with which something is enciphered or signed.
    private func certified(
        _ profile: ApplicationProfile, pan: borrowing PrimaryAccountNumber, keys cardKeys: CardKeys
    ) throws(SimulatedCardError) -> CardApplication {
        guard profile.needsCertificates else {
            return try CardApplication(profile, keys: cardKeys, certificates: [:])
        }
        let issuing = CardCertificates(keys: keys.rsa, profile: profile.offlineAuthentication)
        let fault = profile.offlineAuthentication?.fault
        var objects: [BERTag: [UInt8]] = [:]
        func add(_ certificate: PublicKeyCertificate, _ tags: (BERTag, BERTag, BERTag)) {
            objects[tags.0] = certificate.certificate
            if !certificate.remainder.isEmpty { objects[tags.1] = certificate.remainder }
            objects[tags.2] = certificate.exponent
        }
        let iccTags: (BERTag, BERTag, BERTag) = (0x9F46, 0x9F48, 0x9F47)
        do throws(TestKeysError) {
            objects[0x8F] = [
                fault == .unknownAuthority ? Self.unknownAuthorityIndex : profile.keySizes.certificationAuthorityIndex
            ]
            add(try issuing.issuer(pan: pan), (0x90, 0x92, 0x9F32))
            if profile.pin?.encipherment == .pinKey { add(try issuing.iccPIN(pan: pan), (0x9F2D, 0x9F2F, 0x9F2E)) }
            // The exponent and remainder can themselves be part of the signed data.
            if profile.hasSigningKey { add(try issuing.icc(pan: pan, staticData: []), iccTags) }
        } catch {
            throw .testKeys(error)
        }
        if fault == .missingRemainder { objects[profile.hasSigningKey ? 0x9F48 : 0x92] = nil }

        var staticData = try CardApplication(profile, keys: cardKeys, certificates: objects).staticData
        defer { staticData.wipe() }
        if fault == .staticData { staticData.append(0) }
        do throws(TestKeysError) {
            if profile.hasSigningKey {
                objects[0x9F46] = try issuing.icc(pan: pan, staticData: staticData).certificate
            }
            if profile.offlineAuthentication?.methods.contains(.sda) == true {
                objects[0x93] = try issuing.signedStaticData(staticData)
            }
        } catch {
            throw .testKeys(error)
        }
        return try CardApplication(profile, keys: cardKeys, certificates: objects)
    }

    /// A certification authority public key index (tag 8F) that no simulated authority has.
    static let unknownAuthorityIndex: UInt8 = 0xFF
}
