import CardSecrets
import Determinism
import EMV
import SmartCard
import Testing

/// The data of a contactless kernel for the host.
@Suite struct HostDataRecordTests {
    private func record(_ text: String) throws -> HostDataRecord {
        try HostDataRecord(SecretDataObject(bytes(text)))
    }

    @Test func `card number and track stay secret, and the rest goes into field 55 in the order of a chip's`() throws {
        let record = try record(
            "9F3602002A 5A084761739001010010 5F2403301231 5F340101 57104761739001010010D30122010000000000 "
                + "9F26080102030405060708 9F6E0420700000 9F24 0A 30313233343536373839 500456495341")
        #expect(record[0x5A] == nil && record[0x57] == nil)
        #expect(record[0x50] == Array("VISA".utf8))
        #expect(record.iccData.map(\.tag) == [0x9F26, 0x9F36, 0x5F34, 0x9F6E])
        let request = try record.request(pinBlock: nil)
        let (lastFour, sequence, expiry) = (request.pan.lastFour, request.panSequenceNumber, request.expiry)
        let isContactless = request.isContactless
        #expect(lastFour == "0010" && sequence == 1 && expiry == [0x30, 0x12] && isContactless)
        let card = try record.keptCard()
        let (keptFour, trackLength) = (card.pan.lastFour, card.trackTwo.count)
        #expect(keptFour == "0010" && trackLength == 16)
    }

    // EMV Book 4 §12.1.1: an authorization request has the TVR that the cryptogram covers
    @Test func `the host gets the verification results that the cryptogram covers`() throws {
        let bytes = bytes("9505 0000048081 9F3602002A")
        let record = try HostDataRecord(SecretDataObject(bytes), coveredResults: [0x00, 0x00, 0x00, 0x80, 0x81])
        #expect(record[0x95] == [0x00, 0x00, 0x04, 0x80, 0x81])
        #expect(record.iccData.first { $0.tag == 0x95 }?.value == [0x00, 0x00, 0x00, 0x80, 0x81])
        let plain = try HostDataRecord(SecretDataObject(bytes))
        #expect(plain.iccData.first { $0.tag == 0x95 }?.value == [0x00, 0x00, 0x04, 0x80, 0x81])
        let without = try HostDataRecord(SecretDataObject(Array(bytes.suffix(5))), coveredResults: [0, 0, 0, 0, 0])
        #expect(without.iccData.map(\.tag) == [0x9F36])
    }

    @Test func `the card number comes from the track if there is no other`() throws {
        let record = try record("57104761739001010010D30122010000000000")
        let lastFour = try record.primaryAccountNumber().lastFour
        #expect(lastFour == "0010")
        #expect(record.panSequenceNumber == nil)
    }

    @Test func `of two objects with one tag the first counts`() throws {
        #expect(try record("9F3602002A 9F3602002B")[0x9F36] == [0x00, 0x2A])
    }

    @Test(arguments: ["", "9F3602002A", "5A02AAAA", "570447617390"])
    func `without a card number there is no request`(text: String) throws {
        let record = try record(text)
        #expect(throws: HostDataRecordError.self) {
            _ = try record.primaryAccountNumber().lastFour
        }
    }

    // EMV Book 3 §10.2: 5A and 57 are of one account
    @Test(arguments: [
        ("5A084761739001010010 57104761739001010028D30122010000000000", HostDataRecordError.accountMismatch),
        ("5A084761739001010010 570F47617390010100D301220100000000", .accountMismatch),
        ("5A084761739001010010 570447617390", .data(.wrongFormat(0x57))),
        ("5A02AAAA 57104761739001010010D30122010000000000", .data(.wrongFormat(0x5A))),
    ])
    func `card number and track of different accounts are refused`(text: String, error: HostDataRecordError) {
        #expect(throws: error) { try record(text) }
        #expect(!error.description.contains("4761"))
    }

    @Test(arguments: ["5A", "5A08", "5A0847617390", "9F", "9F3682", "5A84FFFFFFFF00"])
    func `a truncated record is refused, and its error has no value`(text: String) {
        #expect(throws: HostDataRecordError.self) { try record(text) }
    }

    @Test func `random bytes are a record or an error, and never a trap`() {
        let random = SeededRandomSource(seed: 8)
        for count in 0..<2000 {
            let record = try? HostDataRecord(SecretDataObject(random.bytes(count % 60)))
            _ = record?.iccData.count
            _ = record?.panSequenceNumber
        }
    }
}
