import CardSecrets
import Cryptography
import SmartCard

/// Offline data authentication (EMV Book 3 §10.3): selects and performs the method; for CDA, the steps before the first
/// GENERATE AC.
struct OfflineDataAuthentication {
    let session: CardSession

    func perform(_ transaction: Transaction) async throws(KernelStop) {
        session.observe(.offlineDataAuthentication)
        let method = OfflineAuthenticationMethod(
            card: transaction.profile, terminal: transaction.terminal.capabilities)
        transaction.offlineAuthentication = .notPerformed(method)
        switch method {
        case .none: transaction.verificationResults.insert(.offlineDataAuthenticationNotPerformed)
        case .sda: authenticateStatically(transaction)
        case .dda: try await authenticateDynamically(transaction)
        case .cda: prepareCombined(transaction)
        case .xda: ExtendedAuthentication.prepare(transaction)
        }
    }

    /// Checks the data objects required by the method (EMV Book 3 §7.2), except the remainders of long keys.
    private static func require(_ tags: [BERTag], _ transaction: Transaction)
        throws(OfflineAuthenticationError)
    {
        for tag in tags where !transaction.data.contains(tag) { throw .missingData(tag) }
    }

    private static let issuerData = [
        EMVTag.certificationAuthorityIndex, EMVTag.issuerCertificate, EMVTag.issuerKeyExponent,
    ]

    private static let iccData = issuerData + [EMVTag.iccCertificate, EMVTag.iccKeyExponent]

    /// SDA (EMV Book 2 §5).
    private func authenticateStatically(_ transaction: Transaction) {
        transaction.verificationResults.insert(.sdaSelected)
        do throws(OfflineAuthenticationError) {
            try Self.require(Self.issuerData + [EMVTag.signedStaticData], transaction)
            var staticData = try transaction.copyStaticData()
            defer { staticData.wipe() }
            let issuer = try CardKeyRecovery.issuerKey(transaction)
            let signed: SignedStaticApplicationData
            do throws(SignedApplicationDataError) {
                signed = try SignedStaticApplicationData(
                    opening: transaction.data[EMVTag.signedStaticData] ?? [], issuer: issuer, staticData: staticData)
            } catch {
                throw .signature(error)
            }
            transaction.data.set(EMVTag.dataAuthenticationCode, signed.dataAuthenticationCode)
            transaction.passOfflineAuthentication()
        } catch {
            transaction.failOfflineAuthentication(error)
        }
    }

    /// DDA (EMV Book 2 §6.5): the card signs the terminal's unpredictable number.
    ///
    /// - Throws: when the card is removed, refuses INTERNAL AUTHENTICATE, or returns no signature (EMV Book 3 §6.3.5,
    ///   §6.5.9.4).
    private func authenticateDynamically(_ transaction: Transaction) async throws(KernelStop) {
        let key: ICCPublicKey
        var terminalData: [UInt8]
        do throws(OfflineAuthenticationError) {
            try Self.require(Self.iccData, transaction)
            key = try CardKeyRecovery.iccKey(transaction)
            terminalData = transaction.fill(try Self.dynamicDataList(transaction), EMVTag.ddol)
        } catch {
            return transaction.failOfflineAuthentication(error)
        }
        defer { terminalData.wipe() }
        let response = try await session.internalAuthenticate(terminalData)
        guard response.status == .success else { throw .failed(.status(.internalAuthenticate, response.status)) }
        let signature = try Self.parse(response.data)
        do throws(SignedApplicationDataError) {
            let signed = try SignedDynamicApplicationData(opening: signature, key: key, terminalData: terminalData)
            transaction.data.set(EMVTag.dynamicNumber, signed.dynamicNumber)
            transaction.passOfflineAuthentication()
        } catch {
            transaction.failOfflineAuthentication(.signature(error))
        }
    }

    /// CDA (EMV Book 2 §6.6): recovers the key before terminal action analysis. The signature comes with the
    /// cryptogram.
    private func prepareCombined(_ transaction: Transaction) {
        do throws(OfflineAuthenticationError) {
            try Self.require(Self.iccData, transaction)
            _ = try CardKeyRecovery.iccKey(transaction)
        } catch {
            transaction.failOfflineAuthentication(error)
        }
    }

    /// Returns the card's DDOL, or the terminal's default DDOL if the card has none (EMV Book 2 §6.5.1).
    private static func dynamicDataList(
        _ transaction: Transaction
    ) throws(OfflineAuthenticationError) -> DataObjectList {
        var list = transaction.terminalApplication?.defaultDDOL
        if let bytes = transaction.data[EMVTag.ddol] {
            do throws(DataObjectListError) { list = try DataObjectList(bytes) } catch { throw .dataObjectList(error) }
        }
        guard let list, list.asks(for: EMVTag.unpredictableNumber) else { throw .noUnpredictableNumber }
        return list
    }

    /// Returns the signature from format 1 (template 80) or format 2 (9F4B in template 77).
    static func parse(_ data: [UInt8]) throws(KernelStop) -> [UInt8] {
        guard let objects = try? BERTLV.parse(data), objects.count == 1, let template = objects.first else {
            throw .failed(.malformedAnswer(.internalAuthenticate))
        }
        switch template.tag {
        case EMVTag.responseFormat1: return template.value
        case EMVTag.responseFormat2:
            guard let signature = template.children.first(where: { $0.tag == EMVTag.signedDynamicData }) else {
                throw .failed(.data(.missing(EMVTag.signedDynamicData)))
            }
            return signature.value
        default: throw .failed(.malformedAnswer(.internalAuthenticate))
        }
    }
}

extension Transaction {
    /// Records successful authentication.
    func passOfflineAuthentication() {
        statusInformation.insert(.offlineDataAuthenticationPerformed)
        offlineAuthentication = .passed(offlineAuthentication.method)
    }

    /// Records failed authentication in TVR, TSI, and outcome.
    func failOfflineAuthentication(_ reason: OfflineAuthenticationError) {
        let method = offlineAuthentication.method
        statusInformation.insert(.offlineDataAuthenticationPerformed)
        verificationResults.insert(method.failure(reason))
        if reason.isMissingData { verificationResults.insert(.iccDataMissing) }
        offlineAuthentication = .failed(method, reason)
    }
}

/// Verification of CDA signatures (EMV Book 2 §6.6.2).
enum CombinedAuthentication {
    /// Returns whether to request a CDA signature: CDA is selected and has not failed, and the type is not AAC.
    static func isWanted(_ type: CryptogramType, _ transaction: Transaction) -> Bool {
        type != .aac && transaction.offlineAuthentication.method == .cda
            && transaction.offlineAuthentication.result != .failed
    }

    /// Recovers the signature in the card's response and compares it with the exchanged data.
    ///
    /// - Returns: the cryptogram (9F26) from the signature.
    static func verify(
        _ answer: CryptogramAnswer, _ transaction: Transaction
    ) throws(OfflineAuthenticationError) -> [UInt8] {
        guard let signature = answer.signature else { throw .unsignedCryptogram }
        let key = try CardKeyRecovery.iccKey(transaction)
        let signed: SignedDynamicApplicationData
        do throws(SignedApplicationDataError) {
            signed = try SignedDynamicApplicationData(
                opening: signature, key: key, terminalData: transaction.data[EMVTag.unpredictableNumber] ?? [])
        } catch {
            throw .signature(error)
        }
        guard let combined = signed.combined else {
            throw .signature(SignedApplicationDataError(.dynamic, .dynamicData))
        }
        guard combined.information == answer.information else { throw .cryptogramInformation }
        guard try transactionDataHash(answer, transaction) == combined.transactionDataHash else {
            throw .transactionData
        }
        transaction.data.set(EMVTag.dynamicNumber, signed.dynamicNumber)
        return combined.cryptogram
    }

    /// Returns SHA-1 over the filled PDOL and CDOLs as sent and the data objects of the response as received.
    private static func transactionDataHash(
        _ answer: CryptogramAnswer, _ transaction: Transaction
    ) throws(OfflineAuthenticationError) -> [UInt8] {
        var data = transaction.sentData.withUnsafeBytes { Array($0) }
        defer { data.wipe() }
        data += answer.signedObjects
        do throws(CryptographyError) { return try SHA1.hash(data) } catch { throw .cryptography(error) }
    }
}
