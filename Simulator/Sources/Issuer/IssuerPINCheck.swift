internal import CardSecrets
internal import Cryptography
internal import EMV

/// The PIN that comes with a request, against the one that the issuer has.
enum IssuerPINCheck {
    enum Result: String, Hashable, Sendable, CaseIterable {
        case notGiven
        case right
        case wrong
    }

    /// Compares the PIN in an enciphered block with the account's. `wasEntered` says whether the terminal claims that the
    /// cardholder entered one.
    static func result(
        _ block: EncipheredPINBlock?, pan: borrowing PrimaryAccountNumber, wasEntered: Bool, account: IssuerAccount,
        keys: TestKeys
    ) -> Result {
        guard let expected = account.onlinePIN else { return .notGiven }
        // Without a block, the terminal says that a PIN was entered, and sends none.
        guard let block else { return wasEntered ? .wrong : .notGiven }
        guard let pin = try? openPIN(block, pan: pan, keys: keys) else { return .wrong }
        return pin.isEqual(to: expected.digits) ? .right : .wrong
    }

    /// Opens a block of format 0 under a triple DES key, or of format 4 under an AES key.
    private static func openPIN(
        _ block: EncipheredPINBlock, pan: borrowing PrimaryAccountNumber, keys: TestKeys
    ) throws -> SensitiveBytes {
        let serial = try DUKPTKeySerialNumber(block.keySerialNumber)
        switch serial.scheme {
        case .tripleDES:
            let initial = try TripleDESDUKPT.initialKey(
                baseDerivationKey: keys.tripleDESBaseDerivationKey, keySerialNumber: serial)
            let transaction = try TripleDESDUKPT.transactionKey(initialKey: initial, keySerialNumber: serial)
            let key = try TripleDESDUKPT.workingKey(transactionKey: transaction, usage: .pinEncipherment)
            return try PINBlock.pin(formatZero: try TripleDES.decrypt(SensitiveBytes(block.block), key: key), pan: pan)
        case .aes:
            let initial = try AESDUKPT.initialKey(
                baseDerivationKey: keys.aesBaseDerivationKey, keySerialNumber: serial)
            let transaction = try AESDUKPT.transactionKey(initialKey: initial, keySerialNumber: serial)
            let key = try AESDUKPT.workingKey(
                transactionKey: transaction, keySerialNumber: serial, usage: .pinEncipherment)
            return try EncipheredFormatFourPINBlock.pin(block.block, pan: pan, key: key)
        }
    }
}
