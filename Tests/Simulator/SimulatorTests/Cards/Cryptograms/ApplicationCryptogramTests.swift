import CardSecrets
import Cryptography
import Simulator
import SmartCard
import Testing

struct ApplicationCryptogramTests {
    typealias Fixture = CryptogramFixture

    private static let masterKey = "67F8292358083E5EA7AB7FDA58D53B6B"
    private static let common = "000000001250 000000000000 0840 0000008000 0840 261121 00 A1B2C3D4 3900 0102"

    private func master() -> SensitiveBytes { SensitiveBytes(Fixture.hex(Self.masterKey)) }

    @Test func `version 10 of Visa is a MAC under the master key, with the CVR and zeros at the end`() throws {
        let expected = try RetailMAC.mac(Fixture.hex(Self.common + "03A00000"), key: master(), padding: .zeros)
        #expect(try ApplicationCryptogram.compute(Fixture.input(.cvn10), masterKey: master()) == expected)
    }

    // EMV Book 2 §8.1.2: the cryptogram is a MAC under a session key that the counter diversifies
    @Test func `version 18 of Visa is a MAC under the common session key, with the whole issuer data at the end`()
        throws
    {
        let key = try SessionKey.common(masterKey: master(), atc: 0x0102)
        let message = Fixture.hex(Self.common + "06011203A00000")
        let expected = try RetailMAC.mac(message, key: key, padding: .markerAndZeros)
        #expect(try ApplicationCryptogram.compute(Fixture.input(.cvn18), masterKey: master()) == expected)
    }

    @Test func `M/Chip is a MAC under Mastercard's session key, with the six bytes of its CVR at the end`() throws {
        let key = try SessionKey.mastercard(
            masterKey: master(), atc: 0x0102, unpredictableNumber: Fixture.hex("A1B2C3D4"))
        let message = Fixture.hex(Self.common + "A00003200000")
        let expected = try RetailMAC.mac(message, key: key, padding: .markerAndZeros)
        #expect(try ApplicationCryptogram.compute(Fixture.input(.mChip), masterKey: master()) == expected)
    }

    // EMV Book 2 §8.1.2: with AES the cryptogram is the first eight bytes of the MAC
    @Test func `with AES the cryptogram is eight bytes of a CMAC`() throws {
        let key = try SessionKey.common(masterKey: master(), atc: 0x0102, cipher: .aes)
        let input = try Fixture.input(.aes)
        let expected = try AESCMAC.mac(
            Fixture.hex(Self.common) + input.issuerApplicationData.encoded, key: key)
        #expect(try ApplicationCryptogram.compute(input, masterKey: master()) == Array(expected.prefix(8)))
    }

    // EMV Book 2 §8.1.1: terminal data, AIP and counter are all in the cryptogram
    @Test(arguments: CryptogramVersion.allCases)
    func `every data object but the counters of the issuer data changes the cryptogram`(version: CryptogramVersion)
        throws
    {
        let application = IssuerApplicationData(
            version: version, derivationKeyIndex: 1, results: CardVerificationResults(first: .arqc))
        let objects = Fixture.dataObjects(application)
        var seen: Set<[UInt8]> = [try ApplicationCryptogram.compute(Fixture.input(version), masterKey: master())]
        for tag in objects.keys where tag != 0x9F10 {
            var changed = objects
            changed[tag]?[0] ^= 1
            let input = try ApplicationCryptogram.Input { changed[$0] }
            seen.insert(try ApplicationCryptogram.compute(input, masterKey: master()))
        }
        let declined = Fixture.dataObjects(
            IssuerApplicationData(
                version: version, derivationKeyIndex: 1, results: CardVerificationResults(first: .aac)))
        seen.insert(
            try ApplicationCryptogram.compute(ApplicationCryptogram.Input { declined[$0] }, masterKey: master()))
        #expect(seen.count == objects.count + 1)
    }

    @Test func `a data object that is missing or of another length is named`() throws {
        let objects = Fixture.dataObjects(
            IssuerApplicationData(
                version: .cvn10, derivationKeyIndex: 1, results: CardVerificationResults(first: .arqc)))
        for tag in objects.keys {
            #expect(throws: CryptogramError.missing(tag)) {
                try ApplicationCryptogram.Input { $0 == tag ? nil : objects[$0] }
            }
            #expect(throws: CryptogramError.self) {
                try ApplicationCryptogram.Input { $0 == tag ? [] : objects[$0] }
            }
        }
        #expect(throws: CryptogramError.wrongLength(0x9F37, 3)) {
            try ApplicationCryptogram.Input { $0 == 0x9F37 ? [1, 2, 3] : objects[$0] }
        }
    }
}

struct IssuerApplicationDataTests {
    typealias Fixture = CryptogramFixture

    @Test(arguments: CryptogramVersion.allCases) func `written data is read back`(version: CryptogramVersion) throws {
        let written = IssuerApplicationData(
            version: version, derivationKeyIndex: 6, results: CardVerificationResults(first: .tc, second: .aac))
        #expect(try IssuerApplicationData(decoding: written.encoded) == written)
    }

    @Test func `the layouts match those of the schemes`() {
        let results = CardVerificationResults(first: .arqc)
        func encoded(_ version: CryptogramVersion) -> [UInt8] {
            IssuerApplicationData(version: version, derivationKeyIndex: 1, results: results).encoded
        }
        #expect(encoded(.cvn10) == Fixture.hex("06010A03A00000"))
        #expect(encoded(.cvn18) == Fixture.hex("06011203A00000"))
        #expect(encoded(.mChip) == Fixture.hex("0110A0000320000000000000000000000000"))
        #expect(encoded(.mChipCommonSessionKey).count == 18)
        #expect(encoded(.aes).count == 32)
    }

    @Test func `the bits of Visa's card verification results are correct`() {
        var results = CardVerificationResults(first: .arqc, second: .tc, pinTriesLeft: 0)
        results.offlinePINPerformed = true
        results.offlinePINFailed = true
        results.scriptCommandCount = 20
        results.scriptFailed = true
        results.lastOnlineNotCompleted = true
        #expect(results.encoded(.cvn10) == Fixture.hex("0366C0F8"))
    }

    @Test func `other layouts and truncated data are rejected`() {
        for version in CryptogramVersion.allCases {
            let good = IssuerApplicationData(
                version: version, derivationKeyIndex: 1, results: CardVerificationResults(first: .arqc)
            ).encoded
            for count in 0..<good.count {
                #expect(throws: CryptogramError.unknownIssuerApplicationData) {
                    try IssuerApplicationData(decoding: Array(good.prefix(count)))
                }
            }
        }
        #expect(throws: CryptogramError.unknownIssuerApplicationData) {
            try IssuerApplicationData(decoding: [UInt8](repeating: 0xFF, count: 32))
        }
    }
}

/// Data objects of a payment, and bytes out of text, for tests of cryptograms.
enum CryptogramFixture {
    static func hex(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue).map(UInt8.init)
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    static func pan(_ text: String) throws -> PrimaryAccountNumber {
        try PrimaryAccountNumber(compressedNumeric: hex(text + (text.count.isMultiple(of: 2) ? "" : "F")))
    }

    static func revealed(_ secret: borrowing SensitiveBytes) -> [UInt8] { secret.withUnsafeBytes { [UInt8]($0) } }

    /// What goes into a cryptogram: 12.50 US dollars, transaction counter 0x0102.
    static func dataObjects(_ application: IssuerApplicationData) -> [BERTag: [UInt8]] {
        [
            0x9F02: hex("000000001250"), 0x9F03: hex("000000000000"), 0x9F1A: hex("0840"), 0x95: hex("0000008000"),
            0x5F2A: hex("0840"), 0x9A: hex("261121"), 0x9C: [0], 0x9F37: hex("A1B2C3D4"), 0x82: hex("3900"),
            0x9F36: hex("0102"), 0x9F10: application.encoded,
        ]
    }

    static func input(_ version: CryptogramVersion) throws -> ApplicationCryptogram.Input {
        let objects = dataObjects(
            IssuerApplicationData(
                version: version, derivationKeyIndex: 1, results: CardVerificationResults(first: .arqc)))
        return try ApplicationCryptogram.Input { objects[$0] }
    }
}
