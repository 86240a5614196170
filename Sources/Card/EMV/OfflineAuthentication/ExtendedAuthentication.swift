import CardSecrets
public import Cryptography
import SmartCard

/// Extended data authentication, XDA (EMV Book 2 §12; Book 3 §10.3; Book 4 §6.3.2.2): the card signs each cryptogram,
/// and what it covers, with a key on an elliptic curve.
///
/// Exactly one of three bits of the TVR tells what failed. A key of the authority that is missing is one before the
/// first GENERATE AC; a certificate is one only after it, so that the terminal's request does not depend on when it
/// verified the certificates.
enum ExtendedAuthentication {
    /// What the terminal knows of the card's key.
    enum CardKey {
        case recovered(EllipticCurvePoint)
        /// Why the certificates do not lead to it. The TVR has it only after the first GENERATE AC.
        case failed(OfflineAuthenticationError)
    }

    /// Performs the steps before the first GENERATE AC: finds the key of the authority, and verifies the certificates.
    static func prepare(_ transaction: Transaction) {
        transaction.verificationResults.insert(.xdaSelected)
        for tag in [EMVTag.certificationAuthorityIndex, EMVTag.issuerCertificate, EMVTag.iccCertificate]
        where !transaction.data.contains(tag) {
            transaction.verificationResults.insert(.iccDataMissing)
        }
        do throws(OfflineAuthenticationError) {
            let authority = try authorityKey(transaction)
            do throws(OfflineAuthenticationError) {
                transaction.extendedKey = .recovered(try cardKey(authority, transaction))
            } catch {
                transaction.extendedKey = .failed(error)
            }
        } catch {
            transaction.failOfflineAuthentication(error)
        }
    }

    /// Verifies the card's answer to GENERATE AC, and records the result in TVR and TSI.
    ///
    /// - Parameters:
    ///   - answer: the card's answer.
    ///   - terminalData: the data sent by the terminal: with the first GENERATE AC those of GET PROCESSING OPTIONS and
    ///     CDOL1, with the second those of CDOL2 alone (EMV Book 2 table 37).
    ///   - isFirst: whether it is the answer to the first GENERATE AC.
    ///   - transaction: the transaction.
    /// - Returns: whether the answer is not known to be false. A card does not need to sign an AAC; and after a failure
    ///   with the first GENERATE AC nothing is verified with the second, because the issuer knew of it.
    static func verify(
        _ answer: CryptogramAnswer, _ terminalData: [UInt8], isFirst: Bool, _ transaction: Transaction
    ) -> Bool {
        if hasFailed(transaction) { return !isFirst }
        let key: EllipticCurvePoint
        switch transaction.extendedKey {
        case .recovered(let recovered): key = recovered
        case .failed(let error):
            transaction.failOfflineAuthentication(error)
            return false
        case nil: return false
        }
        guard answer.type != .aac else { return true }
        do throws(OfflineAuthenticationError) {
            guard let signature = answer.signature else { throw .unsignedCryptogram }
            var message = [ExtendedSignature.format] + terminalData + answer.signedObjects
            defer { message.wipe() }
            do throws(ExtendedSignatureDefect) {
                try ExtendedSignature.verify(signature, of: message, key: key)
            } catch {
                throw .extendedSignature(error)
            }
            transaction.passOfflineAuthentication()
            return true
        } catch {
            transaction.failOfflineAuthentication(error)
            return false
        }
    }

    /// Whether XDA was selected and failed. A terminal must then not approve without the issuer.
    static func hasFailed(_ transaction: Transaction) -> Bool {
        transaction.offlineAuthentication.method == .xda && transaction.offlineAuthentication.result == .failed
    }

    private static func authorityKey(_ transaction: Transaction) throws(OfflineAuthenticationError) -> ECCAuthorityKey {
        guard let index = transaction.data[EMVTag.certificationAuthorityIndex]?.first else {
            throw .missingData(EMVTag.certificationAuthorityIndex)
        }
        let rid = Array((transaction.application?.candidate.dfName ?? []).prefix(5))
        let keys = transaction.terminal.ellipticAuthorityKeys
        guard let key = keys.first(where: { $0.index == index && $0.rid == rid }) else {
            throw .authorityKeyMissing(rid: rid, index: index)
        }
        transaction.data.set(EMVTag.terminalAuthorityIndex, [index])
        return key
    }

    private static func cardKey(
        _ authority: ECCAuthorityKey, _ transaction: Transaction
    ) throws(OfflineAuthenticationError) -> EllipticCurvePoint {
        guard let issuer = transaction.data[EMVTag.issuerCertificate] else {
            throw .missingData(EMVTag.issuerCertificate)
        }
        guard let card = transaction.data[EMVTag.iccCertificate] else { throw .missingData(EMVTag.iccCertificate) }
        if let defect = transaction.authenticationInput.recordDefect { throw .staticData(defect) }
        let pan: PrimaryAccountNumber
        do throws(DataObjectError) { pan = try transaction.data.primaryAccountNumber() } catch {
            throw .missingData(EMVTag.pan)
        }
        let staticData = certifiedData(transaction)
        do throws(ECCCertificateError) {
            return try ECCCertificateChain.signatureKey(
                issuerCertificate: issuer, cardCertificate: card, authority: authority,
                dfName: transaction.application?.candidate.dfName ?? [], pan: pan, staticData: staticData,
                now: transaction.request.utc ?? transaction.request.date,
                revoked: Set(transaction.terminal.revokedCertificates))
        } catch {
            throw .ellipticCertificate(error)
        }
    }

    /// Returns the data that the issuer certified (EMV Book 3 §10.3): the records, then AIP, AID of the terminal, and
    /// the PDOL if the card has one, as data objects. The tag list (9F4A) does not count.
    private static func certifiedData(_ transaction: Transaction) -> SensitiveBytes {
        var objects = BERTLV.encode(EMVTag.interchangeProfile, transaction.profile.bytes)
        objects += BERTLV.encode(EMVTag.terminalAID, transaction.data[EMVTag.terminalAID] ?? [])
        if let list = transaction.data[EMVTag.pdol] { objects += BERTLV.encode(EMVTag.pdol, list) }
        return SensitiveBytes(joining: transaction.authenticationInput.records, SensitiveBytes(objects))
    }
}

/// Signed dynamic application data on an elliptic curve (tag 9F4B; EMV Book 2 §12.5.2, tables 37 and 38): the format,
/// and a signature that hides nothing.
public enum ExtendedSignature {
    /// The first byte of the data object, and of the signed message.
    public static let format: UInt8 = 0x15

    /// Verifies the data object.
    ///
    /// - Parameters:
    ///   - signed: tag 9F4B: 65 or 131 bytes.
    ///   - message: the format, the data that the terminal sent, and the data objects of the card's answer without
    ///     9F4B.
    ///   - key: the card's key.
    /// - Throws: ``ExtendedSignatureDefect``
    public static func verify(
        _ signed: [UInt8], of message: [UInt8], key: EllipticCurvePoint
    ) throws(ExtendedSignatureDefect) {
        let expected = 1 + ECSDSA.length(on: key.curve)
        guard signed.count == expected else { throw .length(expected: expected, actual: signed.count) }
        guard let first = signed.first, first == format else { throw .format(signed.first ?? 0) }
        let isGenuine: Bool
        do throws(CryptographyError) {
            isGenuine = try ECSDSA.verify(Array(signed.dropFirst()), of: message, key: key)
        } catch {
            throw .cryptography(error)
        }
        guard isGenuine else { throw .signature }
    }
}

/// Why signed dynamic application data on an elliptic curve was rejected.
public enum ExtendedSignatureDefect: Error, Hashable, Sendable, CustomStringConvertible {
    /// It is not as long as the format and a signature with the key.
    case length(expected: Int, actual: Int)
    /// The first byte is not 15.
    case format(UInt8)
    /// The signature was made with another key, or covers other data than were exchanged.
    case signature
    /// libcrypto failed.
    case cryptography(CryptographyError)

    public var description: String {
        switch self {
        case .length(let expected, let actual): "\(actual) bytes instead of \(expected)"
        case .format(let byte): "signed data format \(byte) instead of 21"
        case .signature: "made with another key, or for other data than were exchanged"
        case .cryptography(let error): error.description
        }
    }
}
