public import CardSecrets
public import Cryptography
public import Determinism
public import EMV
internal import Synchronization

/// A PIN pad of a terminal with a test key. It enciphers PINs for the issuer: in format 0 blocks under triple DES
/// DUKPT (ISO 9564-1, ANSI X9.24-1), or in format 4 blocks under AES DUKPT (ISO 9564-1, ANSI X9.24-3).
public final class SimulatedPINPad: Sendable {
    /// Why a PIN was not enciphered. It says nothing about the PIN.
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// No key is left, or none can be derived.
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

    /// - Parameters:
    ///   - keys: the keys of the simulated payment world.
    ///   - scheme: which keys and blocks it has.
    ///   - counter: the transaction counter of the last key that was used; nil to begin by chance. Two runs of
    ///     a program share a key as rarely as chance has it; a real PIN pad keeps its counter.
    ///   - random: for the beginning and for the fill of format 4 blocks.
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

    /// The PIN under the key of the next transaction. Every call uses up a key, also one that fails.
    ///
    /// - Throws: ``Failure``; ``Failure/key(_:)`` with `DUKPTError.keysUsedUp` at the end of the counter.
    public func encipher(
        _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) throws(Failure) -> EncipheredPINBlock {
        let number: DUKPTKeySerialNumber
        do throws(DUKPTError) {
            number = try serialNumber.withLock { (number) throws(DUKPTError) -> DUKPTKeySerialNumber in
                number = try number.next()
                return number
            }
        } catch {
            throw .key(error)
        }
        let block =
            switch number.scheme {
            case .tripleDES: try formatZero(pin, pan, number)
            case .aes: try formatFour(pin, pan, number)
            }
        return EncipheredPINBlock(block: block, keySerialNumber: number.bytes)
    }

    private func formatZero(
        _ pin: borrowing SensitiveBytes, _ pan: borrowing PrimaryAccountNumber, _ number: DUKPTKeySerialNumber
    ) throws(Failure) -> [UInt8] {
        let key: SensitiveBytes
        do throws(DUKPTError) {
            let transaction = try TripleDESDUKPT.transactionKey(initialKey: initialKey, keySerialNumber: number)
            key = try TripleDESDUKPT.workingKey(transactionKey: transaction, usage: .pinEncipherment)
        } catch {
            throw .key(error)
        }
        let block: SensitiveBytes
        do throws(PINBlockError) { block = try PINBlock.formatZero(pin: pin, pan: pan) } catch { throw .block(error) }
        do throws(CryptographyError) {
            return try TripleDES.encrypt(block, key: key).withUnsafeBytes { [UInt8]($0) }
        } catch {
            throw .cryptography(error)
        }
    }

    private func formatFour(
        _ pin: borrowing SensitiveBytes, _ pan: borrowing PrimaryAccountNumber, _ number: DUKPTKeySerialNumber
    ) throws(Failure) -> [UInt8] {
        let key: SensitiveBytes
        do throws(DUKPTError) {
            let transaction = try AESDUKPT.transactionKey(initialKey: initialKey, keySerialNumber: number)
            key = try AESDUKPT.workingKey(
                transactionKey: transaction, keySerialNumber: number, usage: .pinEncipherment)
        } catch {
            throw .key(error)
        }
        do throws(PINBlockError) {
            return try EncipheredFormatFourPINBlock.encipher(pin: pin, pan: pan, random: random.bytes(8), key: key)
        } catch {
            throw .block(error)
        }
    }
}
