public import CardSecrets
public import Cryptography

/// PIN blocks under a key that terminal and host share (ISO 9564-1): format 0 with triple DES, and format 4 with AES.
public struct SessionPINBlock: Sendable {
    /// 0 or 4.
    private let format: Int

    /// Nil for a format that is not there.
    public init?(format: Int) {
        guard format == 0 || format == 4 else { return nil }
        self.format = format
    }

    /// Enciphers a PIN of 4...12 digits, one a byte with values 0...9, to 8 bytes in format 0 and to 16 in format 4.
    /// `random` has 8 bytes for format 4.
    ///
    /// - Throws: `PINBlockError`
    public func encipher(
        _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber, key: HostKey, random: [UInt8]
    ) throws(PINBlockError) -> [UInt8] {
        guard format == 0 else {
            return try EncipheredFormatFourPINBlock.encipher(pin: pin, pan: pan, random: random, key: key.bytes)
        }
        let block = try PINBlock.formatZero(pin: pin, pan: pan)
        do throws(CryptographyError) {
            return try TripleDES.encrypt(block, key: key.bytes).withUnsafeBytes { [UInt8]($0) }
        } catch { throw .cryptography(error) }
    }

    /// Returns the PIN of a block, one digit a byte.
    ///
    /// - Throws: `PINBlockError`
    public func open(
        _ block: [UInt8], pan: borrowing PrimaryAccountNumber, key: HostKey
    ) throws(PINBlockError) -> SensitiveBytes {
        try open(block, pan: pan, bytes: key.bytes)
    }

    /// Returns the PIN of a block under a key that is derived from a base derivation key (DUKPT).
    ///
    /// - Throws: ``DerivedPINError``
    public func open(
        _ block: [UInt8], pan: borrowing PrimaryAccountNumber, baseDerivationKey: HostKey, keySerialNumber: [UInt8]
    ) throws(DerivedPINError) -> SensitiveBytes {
        let key: SensitiveBytes
        do throws(DUKPTError) { key = try Self.workingKey(baseDerivationKey, keySerialNumber) } catch {
            throw .key(error)
        }
        do throws(PINBlockError) { return try open(block, pan: pan, bytes: key) } catch { throw .block(error) }
    }

    private func open(
        _ block: [UInt8], pan: borrowing PrimaryAccountNumber, bytes: borrowing SensitiveBytes
    ) throws(PINBlockError) -> SensitiveBytes {
        guard format == 0 else { return try EncipheredFormatFourPINBlock.pin(block, pan: pan, key: bytes) }
        let clear: SensitiveBytes
        do throws(CryptographyError) { clear = try TripleDES.decrypt(SensitiveBytes(block), key: bytes) } catch {
            throw .cryptography(error)
        }
        return try PINBlock.pin(formatZero: clear, pan: pan)
    }

    private static func workingKey(_ base: HostKey, _ number: [UInt8]) throws(DUKPTError) -> SensitiveBytes {
        let number = try DUKPTKeySerialNumber(number)
        switch number.scheme {
        case .tripleDES:
            let initial = try TripleDESDUKPT.initialKey(baseDerivationKey: base.bytes, keySerialNumber: number)
            let transaction = try TripleDESDUKPT.transactionKey(initialKey: initial, keySerialNumber: number)
            return try TripleDESDUKPT.workingKey(transactionKey: transaction, usage: .pinEncipherment)
        case .aes:
            let initial = try AESDUKPT.initialKey(baseDerivationKey: base.bytes, keySerialNumber: number)
            let transaction = try AESDUKPT.transactionKey(initialKey: initial, keySerialNumber: number)
            return try AESDUKPT.workingKey(
                transactionKey: transaction, keySerialNumber: number, usage: .pinEncipherment)
        }
    }
}

/// Why the PIN under a derived key can't be read. It has no digit of it.
public enum DerivedPINError: Error, Hashable, Sendable {
    case key(DUKPTError)
    case block(PINBlockError)
}
