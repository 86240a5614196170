internal import CardSecrets
internal import Cryptography
internal import SmartCard

/// GENERATE AC, the first (EMV Book 3 §10.8) and the second (§10.11).
struct CryptogramGeneration {
    let session: CardSession

    /// What the card answered.
    struct Result: Hashable, Sendable {
        var type: CryptogramType
        /// False when the card was to sign the cryptogram (CDA) and the signature is not valid: the terminal takes
        /// neither a TC nor an ARQC then.
        var isAuthentic: Bool
    }

    /// Asks for a cryptogram of this type with the data that CDOL1 (8C) or CDOL2 (8D) wants, signed when CDA is
    /// chosen.
    func perform(
        _ type: CryptogramType, _ listTag: BERTag, _ transaction: inout Transaction
    ) async throws(KernelStop) -> Result {
        let list = try transaction.list(listTag)
        if list.asks(for: EMVTag.certificateHash) { try hashCertificateData(&transaction) }
        var data = transaction.fill(list)
        defer { data.wipe() }
        transaction.recordSent(data)
        let isSigned = CombinedAuthentication.isWanted(type, transaction)
        let response = try await session.generateApplicationCryptogram(type, signed: isSigned, data)
        guard response.status == .success else {
            throw .failed(.status(.generateApplicationCryptogram, response.status))
        }
        let answer = try CryptogramAnswer(response.data)
        transaction.statusInformation.insert(.cardRiskManagementPerformed)
        guard type.permits(answer.type) else {
            throw .failed(.cryptogramNotAsked(requested: type, received: answer.type))
        }
        // A card that declines signs nothing (EMV Book 2 §6.6.1).
        guard isSigned, answer.type != .aac else {
            guard let cryptogram = answer.cryptogram else {
                throw .failed(.data(.missing(EMVTag.applicationCryptogram)))
            }
            record(answer, cryptogram, &transaction)
            return Result(type: answer.type, isAuthentic: true)
        }
        do throws(OfflineAuthenticationError) {
            record(answer, try CombinedAuthentication.verify(answer, &transaction), &transaction)
            transaction.passOfflineAuthentication()
            return Result(type: answer.type, isAuthentic: true)
        } catch {
            transaction.failOfflineAuthentication(error)
            record(answer, answer.cryptogram, &transaction)
            return Result(type: answer.type, isAuthentic: false)
        }
    }

    /// Keeps the answer. Of a signature that is not valid there is no cryptogram.
    private func record(_ answer: CryptogramAnswer, _ cryptogram: [UInt8]?, _ transaction: inout Transaction) {
        transaction.cryptogram = cryptogram.map { value in
            CardCryptogram(
                type: answer.type, information: answer.information, counter: answer.counter, value: value,
                issuerApplicationData: answer.issuerApplicationData)
        }
        transaction.data.set(EMVTag.cryptogramInformation, [answer.information.rawValue])
        transaction.data.set(
            EMVTag.transactionCounter, [UInt8(answer.counter >> 8), UInt8(answer.counter & 0xFF)])
        transaction.data.set(EMVTag.applicationCryptogram, cryptogram)
        transaction.data.set(EMVTag.issuerApplicationData, answer.issuerApplicationData)
    }

    /// TC hash (98) over the filled TDOL (97), the card's or the terminal's own (EMV Book 3 §9.2.2).
    private func hashCertificateData(_ transaction: inout Transaction) throws(KernelStop) {
        let list: DataObjectList
        if transaction.data.contains(EMVTag.tdol) {
            list = try transaction.list(EMVTag.tdol)
        } else if let own = transaction.terminalApplication?.defaultTDOL {
            transaction.verificationResults.insert(.defaultTDOLUsed)
            list = own
        } else {
            list = try transaction.list(EMVTag.tdol)
        }
        var data = transaction.fill(list)
        defer { data.wipe() }
        do throws(CryptographyError) { transaction.data.set(EMVTag.certificateHash, try SHA1.hash(data)) } catch {
            throw .failed(.cryptography)
        }
    }
}
