import CardSecrets
import Cryptography
import Determinism
import EMV
import Simulator
import Testing

struct TestKeysTests {
    private let fixture: IssuerFixture

    init() throws { fixture = try IssuerFixture() }

    private func key(_ holder: TestRSAKey.Holder, _ bits: Int) throws -> RSAPrivateKey {
        try fixture.keys.rsa.key(TestRSAKey(holder, bits: bits))
    }

    @Test(arguments: ["4761739001010010", "5413330089010046", "374245001751006F", "6799998900000000018F"])
    func `a terminal accepts the certificates of a card`(pan: String) throws {
        let number = try PrimaryAccountNumber(compressedNumeric: CryptogramFixture.hex(pan))
        let authority = try fixture.keys.certificationAuthorityPublicKey(rid: [0xA0, 0, 0, 0, 3])
        let certificates = CardCertificates(keys: fixture.keys.rsa)
        let issuer = try IssuerPublicKey(
            recovering: certificates.issuer(pan: number), authority: authority, pan: number, date: IssuerFixture.date)
        #expect(issuer.key == (try key(.issuer, 1152)).publicKey)
        let icc = try ICCPublicKey(
            recovering: certificates.icc(pan: number, staticData: [1, 2, 3]), issuer: issuer, pan: number,
            staticData: [1, 2, 3], date: IssuerFixture.date)
        #expect(icc.key == (try key(.icc, 1024)).publicKey)
        let pin = try ICCPublicKey(
            recoveringPINKey: certificates.iccPIN(pan: number), issuer: issuer, pan: number, date: IssuerFixture.date)
        #expect(pin.key == (try key(.iccPIN, 1024)).publicKey)
    }

    @Test func `a card deciphers the PIN of a terminal`() throws {
        let number = try fixture.number()
        let certificates = CardCertificates(keys: fixture.keys.rsa)
        let issuer = try IssuerPublicKey(
            recovering: certificates.issuer(pan: number),
            authority: fixture.keys.certificationAuthorityPublicKey(rid: [0xA0, 0, 0, 0, 3]), pan: number,
            date: IssuerFixture.date)
        let key = try ICCPublicKey(
            recoveringPINKey: certificates.iccPIN(pan: number), issuer: issuer, pan: number, date: IssuerFixture.date)
        let data = try OfflinePINEncipherment.encipher(
            pin: SensitiveBytes([1, 2, 3, 4, 5]), challenge: [UInt8](repeating: 0xC5, count: 8), key: key,
            random: SeededRandomSource(seed: 3))
        let opened = try self.key(.iccPIN, 1024).apply(data)
        #expect(opened.starts(with: CryptogramFixture.hex("7F 2512345FFFFFFFFF C5C5C5C5C5C5C5C5")))
    }

    @Test func `the same card always gets the same certificates`() throws {
        let certificates = CardCertificates(keys: fixture.keys.rsa)
        let first = try certificates.icc(pan: fixture.number(), staticData: [9])
        #expect(try certificates.icc(pan: fixture.number(), staticData: [9]) == first)
    }

    @Test func `an invalid key file is reported with the location`() {
        func load(_ text: String) throws { _ = try TestKeys(Array(text.utf8)) }
        #expect(throws: TestKeysError.malformedLine(2)) { try load("# remark\nname") }
        #expect(throws: TestKeysError.malformedLine(1)) { try load("name 1") }
        #expect(throws: TestKeysError.malformedLine(1)) { try load("name GG") }
        #expect(throws: TestKeysError.malformedLine(1)) { try load("name 01 02") }
        #expect(throws: TestKeysError.repeated(name: "name", line: 3)) { try load("name 01\n\nname 02") }
        #expect(throws: TestKeysError.missing(name: "imk.tdes.application-cryptogram")) { try load("") }
    }

    @Test func `master keys do not print`() throws {
        #expect(!"\(fixture.keys)".contains("831F"))
    }
}
