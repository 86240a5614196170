public import CardSecrets
public import Cryptography
public import Determinism
public import EMV
import Synchronization

/// A terminal's PIN pad with a test key. It enciphers PINs for the issuer: format 0 blocks under triple DES DUKPT
/// (ISO 9564-1, ANSI X9.24-1), or format 4 blocks under AES DUKPT (ISO 9564-1, ANSI X9.24-3).
public final class SimulatedPINPad: Sendable {
    /// An error enciphering a PIN. It contains nothing about the PIN.
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// No key is left, or key derivation failed.
        case key(DUKPTError)
        case block(PINBlockError)
        case cryptography(CryptographyError)

        public var description: String {
            switch self {
            case .key(let error): "the PIN pad has no key: \(error)"
            case .block(let error): error.description
            case .cryptography(let error): error.description
            }
        }
    }

    private let initialKey: SensitiveBytes
    private let random: any RandomSource
    private let serialNumber: Mutex<DUKPTKeySerialNumber>
    /// The host that enciphers under a key of its own; nil for the keys of the pad.
    private let host = Mutex<(any PINEnciphering)?>(nil)

    /// Creates a PIN pad.
    ///
    /// - Parameters:
    ///   - keys: the test keys.
    ///   - scheme: the key management and PIN block format.
    ///   - counter: the transaction counter of the last used key; nil to start at a random one. Two runs then hardly
    ///     ever share a key; a real PIN pad stores its counter.
    ///   - random: the source for the first counter and the fill of format 4 blocks.
    /// - Throws: `DUKPTError`
    public init(
        keys: TestKeys, scheme: DUKPTKeySerialNumber.Scheme = .tripleDES, counter: UInt32? = nil,
        random: any RandomSource
    ) throws(DUKPTError) {
        let device: DUKPTKeySerialNumber
        switch scheme {
        case .tripleDES:
            device = keys.tripleDESKeySerialNumber
            initialKey = try TripleDESDUKPT.initialKey(
                baseDerivationKey: keys.tripleDESBaseDerivationKey, keySerialNumber: device)
        case .aes:
            device = keys.aesKeySerialNumber
            initialKey = try AESDUKPT.initialKey(
                baseDerivationKey: keys.aesBaseDerivationKey, keySerialNumber: device)
        }
        serialNumber = Mutex(device.with(counter: counter ?? random.number(in: 1...0x0F_FFFF)))
        self.random = random
    }

    /// Makes the pad encipher under a key that its host gave it.
    public func use(_ host: any PINEnciphering) { self.host.withLock { $0 = host } }

    /// Enciphers a PIN for the issuer: under a key of the host where there is one, and otherwise under the next key of
    /// the pad.
    ///
    /// - Returns: nil when the host gave no key.
    /// - Throws: ``Failure``
    public func encipherForHost(
        _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) async throws(Failure) -> EncipheredPINBlock? {
        guard let host = host.withLock({ $0 }) else { return try encipher(pin, pan: pan) }
        return await host.encipher(pin, pan: pan)
    }

    /// Enciphers a PIN under the key of the next transaction. Every call uses up a key, even if it fails.
    ///
    /// - Throws: ``Failure``; ``Failure/key(_:)`` with `DUKPTError.keysUsedUp` when no key is left.
    public func encipher(
        _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) throws(Failure) -> EncipheredPINBlock {
        let number: DUKPTKeySerialNumber
        let key: SensitiveBytes
        do throws(DUKPTError) {
            number = try serialNumber.withLock { (number) throws(DUKPTError) -> DUKPTKeySerialNumber in
                number = try number.next()
                return number
            }
            key = try workingKey(number)
        } catch {
            throw .key(error)
        }
        let block =
            switch number.scheme {
            case .tripleDES: try formatZero(pin, pan, key)
            case .aes: try formatFour(pin, pan, key)
            }
        return EncipheredPINBlock(block: block, keySerialNumber: number.bytes)
    }

    private func workingKey(_ number: DUKPTKeySerialNumber) throws(DUKPTError) -> SensitiveBytes {
        switch number.scheme {
        case .tripleDES:
            let transaction = try TripleDESDUKPT.transactionKey(initialKey: initialKey, keySerialNumber: number)
            return try TripleDESDUKPT.workingKey(transactionKey: transaction, usage: .pinEncipherment)
        case .aes:
            let transaction = try AESDUKPT.transactionKey(initialKey: initialKey, keySerialNumber: number)
            return try AESDUKPT.workingKey(
                transactionKey: transaction, keySerialNumber: number, usage: .pinEncipherment)
        }
    }

    private func formatZero(
        _ pin: borrowing SensitiveBytes, _ pan: borrowing PrimaryAccountNumber, _ key: borrowing SensitiveBytes
    ) throws(Failure) -> [UInt8] {
        let block: SensitiveBytes
        do throws(PINBlockError) { block = try PINBlock.formatZero(pin: pin, pan: pan) } catch { throw .block(error) }
        do throws(CryptographyError) {
            return try TripleDES.encrypt(block, key: key).withUnsafeBytes { [UInt8]($0) }
        } catch {
            throw .cryptography(error)
        }
    }

    private func formatFour(
        _ pin: borrowing SensitiveBytes, _ pan: borrowing PrimaryAccountNumber, _ key: borrowing SensitiveBytes
    ) throws(Failure) -> [UInt8] {
        do throws(PINBlockError) {
            return try EncipheredFormatFourPINBlock.encipher(pin: pin, pan: pan, random: random.bytes(8), key: key)
        } catch {
            throw .block(error)
        }
    }
}

/// Enciphers PINs under a key that terminal and host share.
public protocol PINEnciphering: Sendable {
    /// - Returns: the block, without a key serial number; nil when there is no key.
    func encipher(
        _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) async -> EncipheredPINBlock?
}
