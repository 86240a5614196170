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
    /// - Throws: ``SessionPINError``
    public func encipher(
        _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber, key: HostKey, random: [UInt8]
    ) async throws(SessionPINError) -> [UInt8] {
        let plain: SensitiveBytes
        do throws(PINBlockError) {
            if format == 0 {
                plain = try PINBlock.formatZero(pin: pin, pan: pan)
            } else {
                plain = try EncipheredFormatFourPINBlock.plainField(pin: pin, random: random)
            }
        } catch { throw .block(error) }
        do throws(KeyUseError) {
            let once = try await key.encipher(plain)
            if format == 0 { return once.withUnsafeBytes { [UInt8]($0) } }
            let twice = try await key.encipher(EncipheredFormatFourPINBlock.bind(once, to: pan))
            return twice.withUnsafeBytes { [UInt8]($0) }
        } catch { throw .key(error) }
    }

    /// Returns the PIN of a block, one digit a byte.
    ///
    /// - Throws: ``SessionPINError``
    public func open(
        _ block: [UInt8], pan: borrowing PrimaryAccountNumber, key: HostKey
    ) async throws(SessionPINError) -> SensitiveBytes {
        guard block.count == (format == 0 ? TripleDES.blockLength : AES.blockLength) else { throw .block(.malformed) }
        let once: SensitiveBytes
        do throws(KeyUseError) { once = try await key.decipher(SensitiveBytes(block)) } catch { throw .key(error) }
        if format == 0 {
            do throws(PINBlockError) { return try PINBlock.pin(formatZero: once, pan: pan) } catch {
                throw .block(error)
            }
        }
        let twice: SensitiveBytes
        do throws(KeyUseError) {
            twice = try await key.decipher(EncipheredFormatFourPINBlock.bind(once, to: pan))
        } catch { throw .key(error) }
        do throws(PINBlockError) { return try EncipheredFormatFourPINBlock.pin(plainField: twice) } catch {
            throw .block(error)
        }
    }

    /// Returns the PIN of a block under a key that is derived from a base derivation key (DUKPT).
    ///
    /// - Throws: ``DerivedPINError``
    public func open(
        _ block: [UInt8], pan: borrowing PrimaryAccountNumber, baseDerivationKey: HostKey, keySerialNumber: [UInt8]
    ) throws(DerivedPINError) -> SensitiveBytes {
        let key: SensitiveBytes
        do throws(DUKPTError) {
            let number = try DUKPTKeySerialNumber(keySerialNumber)
            key = try DerivedKeys.pinKey(baseDerivationKey, number)
        } catch { throw .key(error) }
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
}

/// Why a PIN is not enciphered, or a block not opened. It has no digit of the PIN.
public enum SessionPINError: Error, Hashable, Sendable, CustomStringConvertible {
    case block(PINBlockError)
    /// The key, or its token, did nothing.
    case key(KeyUseError)

    public var description: String {
        switch self {
        case .block(let error): error.description
        case .key(let error): error.description
        }
    }
}

/// Why the PIN under a derived key can't be read. It has no digit of it.
public enum DerivedPINError: Error, Hashable, Sendable {
    case key(DUKPTError)
    case block(PINBlockError)
}
