import CardSecrets
import Cryptography
import Determinism
import EMV
import SmartCard

/// The certificates of a chip that signs on an elliptic curve (EMV Book 2 §12.3 and §12.4, tables 35 and 36).
extension CardPersonalization {
    /// Issues the certificates for the card's key. The same card always gets the same ones.
    func certified(
        _ profile: ApplicationProfile, keys cardKeys: CardKeys, _ curves: TestECKeys
    ) throws(SimulatedCardError) -> CardApplication {
        guard let authentication = profile.offlineAuthentication else {
            return try CardApplication(profile, keys: cardKeys, certificates: [:])
        }
        let (suite, fault) = (authentication.certificates, authentication.fault)
        let index = TestECKeys.authorityIndex(suite)
        let (authority, issuer): (EllipticCurvePrivateKey, EllipticCurvePrivateKey)
        do throws(TestKeysError) { (authority, issuer) = (try curves.authority(suite), try curves.issuer(suite)) } catch
        {
            throw .testKeys(error)
        }
        var identifier = Array(CardApplication.values(profile)[0x5A]?.copy().prefix(3) ?? []) + [0xFF, 0xFF]
        if fault == .otherIssuer, let first = identifier.first { identifier[0] = first == 0x47 ? 0x54 : 0x47 }
        let serialNumber: [UInt8] = authentication.isRevoked ? CardCertificates.revokedSerialNumber : [0, 0, 1]
        let issuerFields: [UInt8] =
            [0x12, 0x00] + identifier + [suite.rawValue] + authentication.issuerExpiry.lastDay + serialNumber
            + profile.rid + [index] + issuer.publicKey.x
        var objects: [BERTag: [UInt8]] = [
            0x8F: [fault == .unknownAuthority ? Self.unknownAuthorityIndex : index],
            0x90: try issuerFields + signature(of: issuerFields, by: authority),
        ]
        var staticData = try CardApplication(profile, keys: cardKeys, certificates: objects).staticData
        defer { staticData.wipe() }
        if fault == .staticData { staticData.append(0) }
        let hash: [UInt8]
        let key: [UInt8]
        do throws(CryptographyError) {
            hash = try SHA256.hash(staticData)
            key = try certifiedKey(fault, curves.card.publicKey)
        } catch {
            throw .keys(.cryptography(error))
        }
        let cardFields: [UInt8] =
            [0x14, 0x00, CertificateSuite.p256.rawValue] + authentication.iccExpiry.lastDay + [0x23, 0x59]
            + [0, 0, 0, 0, 0, 2] + [0x00, 0x02] + hash + key
        objects[0x9F46] = try cardFields + signature(of: cardFields, by: issuer)
        return try CardApplication(profile, keys: cardKeys, certificates: objects)
    }

    /// Returns x of the key in the card's certificate: that of the card, or one that the fault asks for.
    private func certifiedKey(
        _ fault: OfflineAuthenticationProfile.Fault?, _ own: EllipticCurvePoint
    ) throws(CryptographyError) -> [UInt8] {
        switch fault {
        case .knownPrivateKey:
            let one = SensitiveBytes([UInt8](repeating: 0, count: own.curve.length - 1) + [1])
            return try EllipticCurvePrivateKey(secret: one, on: own.curve).publicKey.x
        case .pointNotOnCurve:
            // About half of all numbers are x of no point.
            var x = own.x
            while (try? EllipticCurvePoint(smallerRootOf: x, on: own.curve)) != nil { x[x.count - 1] &+= 1 }
            return x
        default: return own.x
        }
    }

    /// The nonce is made of key and message too, so a source that repeats itself is no danger.
    private func signature(
        of fields: [UInt8], by key: EllipticCurvePrivateKey
    ) throws(SimulatedCardError) -> [UInt8] {
        do throws(CryptographyError) {
            return try ECSDSA.sign(fields, key: key, random: SeededRandomSource(seed: 0))
        } catch {
            throw .keys(.cryptography(error))
        }
    }
}

extension CardMonth {
    /// The last day of the month, YYYYMMDD in BCD, four bytes.
    fileprivate var lastDay: [UInt8] {
        let day = CivilDate(year: year, month: month, day: 1).daysInMonth
        return [year / 100, year % 100, month, day].map { UInt8(($0 / 10) << 4 | ($0 % 10)) }
    }
}
