public import CardSecrets
public import Cryptography
public import Determinism
public import EMV
internal import Synchronization

/// A PIN pad with a test key: it enciphers PINs in format 0 blocks under triple DES DUKPT
/// (ISO 9564-1, ANSI X9.24-1).
public final class SimulatedPINPad: Sendable {
    private let initialKey: SensitiveBytes
    private let serialNumber: Mutex<DUKPTKeySerialNumber>

    /// - Parameters:
    ///   - keys: the keys of the simulated payment world.
    ///   - random: where the transaction counter begins. Two runs of a program share a key as rarely as
    ///     chance has it; a real PIN pad keeps its counter.
    /// - Throws: `DUKPTError`
    public init(keys: TestKeys, random: any RandomSource) throws(DUKPTError) {
        initialKey = try TripleDESDUKPT.initialKey(
            baseDerivationKey: keys.tripleDESBaseDerivationKey, keySerialNumber: keys.tripleDESKeySerialNumber)
        serialNumber = Mutex(keys.tripleDESKeySerialNumber.with(counter: random.number(in: 1...0x0F_FFFF)))
    }

    /// The PIN under the key of the next transaction; nil when no key is left.
    public func encipher(
        _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) -> EncipheredPINBlock? {
        do {
            let number = try serialNumber.withLock { (number) throws(DUKPTError) -> DUKPTKeySerialNumber in
                number = try number.next()
                return number
            }
            let transactionKey = try TripleDESDUKPT.transactionKey(initialKey: initialKey, keySerialNumber: number)
            let key = try TripleDESDUKPT.workingKey(transactionKey: transactionKey, usage: .pinEncipherment)
            let block = try PINBlock.formatZero(pin: pin, pan: pan)
            let enciphered = try block.withUnsafeBytes { try TripleDES.encrypt([UInt8]($0), key: key) }
            return EncipheredPINBlock(block: enciphered, keySerialNumber: number.bytes)
        } catch {
            return nil
        }
    }
}
