import CardSecrets
import Cryptography
import Testing

struct TripleDESDUKPTTests {
    private static let serial = "FFFF9876543210E00001"

    private func transactionKey() throws -> SensitiveBytes {
        let serial = try DUKPTKeySerialNumber(hex(Self.serial))
        let initial = try TripleDESDUKPT.initialKey(
            baseDerivationKey: key("0123456789ABCDEFFEDCBA9876543210"), keySerialNumber: serial)
        #expect(initial.revealed == hex("6AC292FAA1315B4D858AB3A3D7D5933A"))
        return try TripleDESDUKPT.transactionKey(initialKey: initial, keySerialNumber: serial)
    }

    @Test func `initial key, transaction key and PIN come out as in X9.24-1 annex A4`() throws {
        let transaction = try transactionKey()
        #expect(transaction.revealed == hex("042666B49184CFA368DE9628D0397BC9"))
        let working = try TripleDESDUKPT.workingKey(transactionKey: transaction, usage: .pinEncipherment)
        let block = try PINBlock.formatZero(pin: digits("1234"), pan: pan("4012345678909"))
        #expect(try TripleDES.encrypt(block, key: working).revealed == hex("1B9C1845EB993A7A"))
    }

    @Test func `MACs both ways come out as in X9.24-1 annex A4`() throws {
        let transaction = try transactionKey()
        let message = Array("4012345678909D987".utf8)
        let request = try TripleDESDUKPT.workingKey(transactionKey: transaction, usage: .macRequest)
        #expect(try RetailMAC.mac(message, key: request, padding: .zeros) == hex("9CCC78173FC4FB64"))
        let response = try TripleDESDUKPT.workingKey(transactionKey: transaction, usage: .macResponse)
        #expect(try RetailMAC.mac(message, key: response, padding: .zeros) == hex("20364223C1FF00FA"))
    }

    @Test func `data keys are enciphered under themselves`() throws {
        let transaction = try transactionKey()
        let request = try TripleDESDUKPT.workingKey(transactionKey: transaction, usage: .dataRequest)
        let variant = transaction.exclusiveOr(hex("0000000000FF00000000000000FF0000"))
        #expect(try request.revealed == TripleDES.encrypt(variant, key: variant).revealed)
        let response = try TripleDESDUKPT.workingKey(transactionKey: transaction, usage: .dataResponse)
        #expect(response.revealed != request.revealed)
    }

    @Test func `a counter with more than ten ones, or none, is refused`() throws {
        let serial = try DUKPTKeySerialNumber(hex(Self.serial))
        let initial = key("6AC292FAA1315B4D858AB3A3D7D5933A")
        for counter: UInt32 in [0, 0x7FF, 0x1F_FFFF] {
            #expect(throws: DUKPTError.counterNotAllowed(counter)) {
                _ = try TripleDESDUKPT.transactionKey(
                    initialKey: initial, keySerialNumber: serial.with(counter: counter))
            }
        }
    }

    @Test func `the next key serial number skips counters with too many ones`() throws {
        let serial = try DUKPTKeySerialNumber(hex(Self.serial))
        #expect(try serial.next().bytes == hex("FFFF9876543210E00002"))
        #expect(try serial.with(counter: 0x7FE).next().counter == 0x800)
        #expect(try serial.with(counter: 0xFFC00).next().counter == 0x10_0000)
        #expect(throws: DUKPTError.keysUsedUp) { try serial.with(counter: 0x1F_F800).next() }
    }

    @Test func `the counter never reaches into the name of the device`() throws {
        let serial = try DUKPTKeySerialNumber(hex("FFFF9876543210FFFFFF"))
        #expect(serial.with(counter: 0).bytes == hex("FFFF9876543210E00000"))
        #expect(serial.with(counter: .max).bytes == serial.bytes)
    }

    @Test(arguments: [0, 9, 11, 13]) func `a key serial number of another length is refused`(count: Int) {
        #expect(throws: DUKPTError.keySerialNumberLength(count)) {
            try DUKPTKeySerialNumber([UInt8](repeating: 0, count: count))
        }
    }

    @Test func `a key serial number of the other scheme is refused`() throws {
        let serial = try DUKPTKeySerialNumber(hex("123456789012345600000001"))
        #expect(throws: DUKPTError.keySerialNumberLength(12)) {
            _ = try TripleDESDUKPT.initialKey(
                baseDerivationKey: key("0123456789ABCDEFFEDCBA9876543210"), keySerialNumber: serial)
        }
    }
}

struct AESDUKPTTests {
    @Test func `initial key, transaction key and PIN key come out as in X9.24-3`() throws {
        let serial = try DUKPTKeySerialNumber(hex("1234567890123456 00000001"))
        let initial = try AESDUKPT.initialKey(
            baseDerivationKey: key("FEDCBA9876543210F1F1F1F1F1F1F1F1"), keySerialNumber: serial)
        #expect(initial.revealed == hex("1273671EA26AC29AFA4D1084127652A1"))
        let transaction = try AESDUKPT.transactionKey(initialKey: initial, keySerialNumber: serial)
        #expect(transaction.revealed == hex("4F21B565BAD9835E112B6465635EAE44"))
        let working = try AESDUKPT.workingKey(
            transactionKey: transaction, keySerialNumber: serial, usage: .pinEncipherment)
        #expect(working.revealed == hex("AF8CB133A78F8DC2D1359F18527593FB"))
    }

    @Test(arguments: [(AESDUKPT.KeyType.twoKeyTripleDES, 16), (.threeKeyTripleDES, 24), (.aes192, 24), (.aes256, 32)])
    func `a working key is as long as its type says`(type: AESDUKPT.KeyType, length: Int) throws {
        let serial = try DUKPTKeySerialNumber(hex("1234567890123456 00000001"))
        let working = try AESDUKPT.workingKey(
            transactionKey: key("4F21B565BAD9835E112B6465635EAE44"), keySerialNumber: serial, usage: .dataBothWays,
            type: type)
        #expect(working.count == length)
    }

    @Test func `keys of 32 bytes stay 32 bytes all the way`() throws {
        let serial = try DUKPTKeySerialNumber(hex("1234567890123456 00000003"))
        let initial = try AESDUKPT.initialKey(
            baseDerivationKey: SensitiveBytes((0..<32).map { UInt8($0) }), keySerialNumber: serial)
        #expect(initial.count == 32)
        #expect(try AESDUKPT.transactionKey(initialKey: initial, keySerialNumber: serial).count == 32)
    }

    @Test func `a counter with more than sixteen ones is refused, and skipped by the next one`() throws {
        let serial = try DUKPTKeySerialNumber(hex("1234567890123456 0001FFFF"))
        #expect(throws: DUKPTError.counterNotAllowed(0x1_FFFF)) {
            _ = try AESDUKPT.transactionKey(
                initialKey: key("1273671EA26AC29AFA4D1084127652A1"), keySerialNumber: serial)
        }
        #expect(try serial.with(counter: 0x1_FFFE).next().counter == 0x2_0000)
        #expect(throws: DUKPTError.keysUsedUp) { try serial.with(counter: 0xFFFF_0000).next() }
    }

    @Test func `a key that is no AES key is refused`() throws {
        let serial = try DUKPTKeySerialNumber(hex("1234567890123456 00000001"))
        #expect(throws: DUKPTError.cryptography(.keyLength(8, algorithm: "AES DUKPT"))) {
            _ = try AESDUKPT.initialKey(baseDerivationKey: key("0123456789ABCDEF"), keySerialNumber: serial)
        }
    }
}
