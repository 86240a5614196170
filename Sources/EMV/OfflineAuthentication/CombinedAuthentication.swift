internal import CardSecrets
internal import Cryptography
internal import SmartCard

/// The part of CDA that comes with a cryptogram (EMV Book 2 §6.6.2).
enum CombinedAuthentication {
    /// Whether to ask the card for a signature: CDA was chosen and has not failed, and the card is not asked to
    /// decline.
    static func isWanted(_ type: CryptogramType, _ transaction: borrowing Transaction) -> Bool {
        type != .aac && transaction.offlineAuthentication.method == .cda
            && transaction.offlineAuthentication.result != .failed
    }

    /// Opens the signature in the card's answer and compares it with what was sent and answered.
    ///
    /// - Returns: the cryptogram (9F26), which stands in the signature.
    static func verify(
        _ answer: CryptogramAnswer, _ transaction: inout Transaction
    ) throws(OfflineAuthenticationError) -> [UInt8] {
        guard let signature = answer.signature else { throw .unsignedCryptogram }
        let key = try CardKeyRecovery.iccKey(&transaction)
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

    /// SHA-1 over the filled PDOL and CDOLs as they were sent, and the data objects of the answer as they came.
    private static func transactionDataHash(
        _ answer: CryptogramAnswer, _ transaction: borrowing Transaction
    ) throws(OfflineAuthenticationError) -> [UInt8] {
        var data = transaction.sentData.withUnsafeBytes { Array($0) }
        defer { data.wipe() }
        data += answer.signedObjects
        do throws(CryptographyError) { return try SHA1.hash(data) } catch { throw .cryptography(error) }
    }
}
