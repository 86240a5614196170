import CardSecrets
import Cryptography
import Determinism
import EMV
import Simulator
import Testing

/// The terminal's PIN pad: blocks for the issuer, a key for each.
@Suite struct SimulatedPINPadTests {
    private func pad(_ scheme: DUKPTKeySerialNumber.Scheme, counter: UInt32? = nil) throws -> SimulatedPINPad {
        try SimulatedPINPad(
            keys: .embedded(), scheme: scheme, counter: counter, random: SeededRandomSource(seed: 1))
    }

    private func pan() throws -> PrimaryAccountNumber {
        try PrimaryAccountNumber(compressedNumeric: [0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x00, 0x10])
    }

    @Test(arguments: [DUKPTKeySerialNumber.Scheme.tripleDES, .aes])
    func `every block has a new key, and the counter increases by one`(
        scheme: DUKPTKeySerialNumber.Scheme
    ) throws {
        let pad = try pad(scheme, counter: 0)
        let pan = try pan()
        var blocks: Set<[UInt8]> = []
        for number in 1...20 as ClosedRange<UInt32> {
            let enciphered = try pad.encipher(SensitiveBytes([1, 2, 3, 4]), pan: pan)
            let serial = try DUKPTKeySerialNumber(enciphered.keySerialNumber)
            #expect(serial.counter == number)
            #expect(enciphered.block.count == (scheme == .aes ? 16 : 8))
            blocks.insert(enciphered.block)
        }
        #expect(blocks.count == 20)
    }

    @Test func `triple DES creates format 0 blocks for the base derivation key`() throws {
        let keys = try TestKeys.embedded()
        let pan = try pan()
        let enciphered = try pad(.tripleDES).encipher(SensitiveBytes([9, 8, 7, 6, 5]), pan: pan)
        let number = try DUKPTKeySerialNumber(enciphered.keySerialNumber)
        #expect(number.scheme == .tripleDES)
        let initial = try TripleDESDUKPT.initialKey(
            baseDerivationKey: keys.tripleDESBaseDerivationKey, keySerialNumber: number)
        let transaction = try TripleDESDUKPT.transactionKey(initialKey: initial, keySerialNumber: number)
        let key = try TripleDESDUKPT.workingKey(transactionKey: transaction, usage: .pinEncipherment)
        let opened = try PINBlock.pin(
            formatZero: try TripleDES.decrypt(SensitiveBytes(enciphered.block), key: key), pan: pan)
        let digits = opened.withUnsafeBytes { [UInt8]($0) }
        #expect(digits == [9, 8, 7, 6, 5])
    }

    @Test func `AES creates format 4 blocks for the base derivation key`() throws {
        let keys = try TestKeys.embedded()
        let pan = try pan()
        let enciphered = try pad(.aes).encipher(SensitiveBytes([9, 8, 7, 6, 5]), pan: pan)
        let number = try DUKPTKeySerialNumber(enciphered.keySerialNumber)
        #expect(number.scheme == .aes)
        let initial = try AESDUKPT.initialKey(
            baseDerivationKey: keys.aesBaseDerivationKey, keySerialNumber: number)
        let transaction = try AESDUKPT.transactionKey(initialKey: initial, keySerialNumber: number)
        let key = try AESDUKPT.workingKey(
            transactionKey: transaction, keySerialNumber: number, usage: .pinEncipherment)
        let opened = try EncipheredFormatFourPINBlock.pin(enciphered.block, pan: pan, key: key)
        let digits = opened.withUnsafeBytes { [UInt8]($0) }
        #expect(digits == [9, 8, 7, 6, 5])
    }

    /// The last counters with ten ones of 21 bits, and with sixteen of 32.
    @Test(
        arguments: [(DUKPTKeySerialNumber.Scheme.tripleDES, 0x1F_F800), (.aes, 0xFFFF_0000)]
            as [(DUKPTKeySerialNumber.Scheme, UInt32)])
    func `a PIN pad with exhausted keys reports an error`(scheme: DUKPTKeySerialNumber.Scheme, last: UInt32) throws {
        let pan = try pan()
        let pad = try pad(scheme, counter: last - 1)
        var used = 0
        for _ in 0..<3 {
            do throws(SimulatedPINPad.Failure) {
                _ = try pad.encipher(SensitiveBytes([1, 2, 3, 4]), pan: pan)
                used += 1
            } catch {
                #expect(error == .key(.keysUsedUp))
            }
        }
        #expect(used == 1)
    }

    @Test func `an invalid PIN is rejected`() throws {
        let pan = try pan()
        let pad = try pad(.aes)
        for digits in [[1, 2, 3], [1, 2, 3, 0x0A]] as [[UInt8]] {
            do throws(SimulatedPINPad.Failure) {
                _ = try pad.encipher(SensitiveBytes(digits), pan: pan)
                Issue.record("\(digits.count) digits were enciphered")
            } catch {
                guard case .block = error else {
                    Issue.record("\(error)")
                    continue
                }
            }
        }
    }
}
