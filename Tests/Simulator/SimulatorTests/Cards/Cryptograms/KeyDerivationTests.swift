import CardSecrets
import Cryptography
import Simulator
import Testing

struct KeyDerivationTests {
    typealias Fixture = CryptogramFixture

    private let issuerKey = "0123456789ABCDEFFEDCBA9876543210"

    private func masterKey(_ option: ICCMasterKey.Option, pan: String = "99012345678901234", psn: UInt8? = 45) throws
        -> SensitiveBytes
    {
        try ICCMasterKey.derive(
            issuerMasterKey: SensitiveBytes(Fixture.hex(issuerKey)), pan: Fixture.pan(pan), panSequenceNumber: psn,
            option: option)
    }

    // EMV Book 2 annex A1.4: the card's master key is derived from account and sequence number, by option A or
    // through a hash by option B
    @Test func `options A and B result in the known keys`() throws {
        #expect(try Fixture.revealed(masterKey(.a)) == Fixture.hex("67F8292358083E5EA7AB7FDA58D53B6B"))
        #expect(try Fixture.revealed(masterKey(.b)) == Fixture.hex("985EC4FD3EDF6162E31AF1C7D0543416"))
    }

    // EMV Book 2 annex A1.4.2: option B is option A for account numbers of up to sixteen digits
    @Test func `option B equals option A for a PAN of up to sixteen digits`() throws {
        let pan = "4761739001010010"
        #expect(try Fixture.revealed(masterKey(.a, pan: pan)) == Fixture.revealed(masterKey(.b, pan: pan)))
    }

    // EMV Book 2 annex A1.4.1: a card without a sequence number is derived with 00
    @Test func `a card without a sequence number is the one with zero`() throws {
        #expect(try Fixture.revealed(masterKey(.a, psn: nil)) == Fixture.revealed(masterKey(.a, psn: 0)))
        #expect(try Fixture.revealed(masterKey(.a, psn: nil)) != Fixture.revealed(masterKey(.a, psn: 1)))
    }

    // EMV Book 2 annex A1.4.3: option C enciphers account and sequence number in one AES block
    @Test func `option C enciphers all digits in one block`() throws {
        let key = SensitiveBytes(Fixture.hex(issuerKey))
        let block = try AES.encrypt(Fixture.hex("00000000000009901234567890123445"), key: key)
        #expect(try Fixture.revealed(masterKey(.c)) == block)
    }

    // EMV Book 2 annex A1.3.1: the common session key is derived from the master key with F0 and 0F in the third byte
    @Test func `the common session key has the known value`() throws {
        let session = try SessionKey.derive(masterKey: masterKey(.a), diversifier: Fixture.hex("1234567890123456"))
        #expect(Fixture.revealed(session) == Fixture.hex("29B33180E567CE38EA4CBC9D753B0E61"))
    }

    // EMV Book 2 annex A1.3: every transaction counter has session keys of its own
    @Test func `session keys differ by counter, by scheme and by unpredictable number`() throws {
        let master = try masterKey(.a)
        let keys = try [
            Fixture.revealed(SessionKey.common(masterKey: master, atc: 1)),
            Fixture.revealed(SessionKey.common(masterKey: master, atc: 2)),
            Fixture.revealed(SessionKey.mastercard(masterKey: master, atc: 1, unpredictableNumber: [1, 2, 3, 4])),
            Fixture.revealed(SessionKey.mastercard(masterKey: master, atc: 1, unpredictableNumber: [1, 2, 3, 5])),
            Fixture.revealed(SessionKey.common(masterKey: master, atc: 1, cipher: .aes)),
        ]
        #expect(Set(keys).count == keys.count)
    }

    @Test func `the common session key is Mastercard's with zeros for the unpredictable number`() throws {
        let master = try masterKey(.a)
        #expect(
            try Fixture.revealed(SessionKey.common(masterKey: master, atc: 7))
                == Fixture.revealed(
                    SessionKey.mastercard(masterKey: master, atc: 7, unpredictableNumber: [0, 0, 0, 0])))
    }

    @Test func `Visa's script key varies the master key by the counter`() throws {
        let master = SensitiveBytes([UInt8](repeating: 0, count: 16))
        let key = try CryptogramVersion.cvn10.scriptKey(
            masterKey: master, atc: 0x0102, applicationCryptogram: [UInt8](repeating: 9, count: 8))
        #expect(Fixture.revealed(key) == Fixture.hex("0000000000000102 000000000000FEFD"))
    }

    @Test func `a key of another length is refused`() throws {
        #expect(throws: CryptogramError.cryptography(.keyLength(5, algorithm: "DES"))) {
            _ = try ICCMasterKey.derive(
                issuerMasterKey: SensitiveBytes([1, 2, 3, 4, 5]), pan: Fixture.pan("4761739001010010"),
                panSequenceNumber: 1)
        }
    }
}
