import CardSecrets
import SmartCard
import Testing

@testable import EMV

struct DataObjectStoreTests {
    private func error(_ objects: [BERTLV]) -> DataObjectError? {
        var store = DataObjectStore()
        do throws(DataObjectError) {
            try store.storeFromCard(objects)
            return nil
        } catch {
            return error
        }
    }

    // EMV Book 3 §10.2: a data object that the card gives twice is an error
    // EMV Book 3 §7.5: card data in a wrong format are an error
    @Test func `forbidden, duplicate, and malformed data objects of a card are rejected`() {
        #expect(error([BERTLV(0x95, bytes("0000000000"))]) == .notForTheCardToGive(0x95))
        #expect(error([BERTLV(0x8A, bytes("3030"))]) == .notForTheCardToGive(0x8A))
        #expect(error([BERTLV(0x9F42, bytes("0840")), BERTLV(0x9F42, bytes("0840"))]) == .duplicate(0x9F42))
        #expect(
            error([BERTLV(0x5A, bytes("4761739001010010")), BERTLV(0x5A, bytes("4761739001010010"))])
                == .duplicate(0x5A))
        #expect(error([BERTLV(0x5F24, bytes("3112"))]) == .wrongLength(0x5F24))
        #expect(error([BERTLV(0x5F24, bytes("31A231"))]) == .wrongFormat(0x5F24))
        #expect(error([BERTLV(0x5A, bytes("47617390F1010010"))]) == .wrongFormat(0x5A))
    }

    // EMV Book 3 §10.2: data objects that the terminal does not know are passed over
    // EMV Book 3 §7.5: a data object of length zero counts as absent
    @Test func `unknown and empty objects are omitted`() throws {
        var store = DataObjectStore()
        try store.storeFromCard([BERTLV(0xDF01, [1]), BERTLV(0x5F20, []), BERTLV(0x9F42, bytes("0840"))])
        let present = ([0xDF01, 0x5F20, 0x9F42] as [BERTag]).map { store.contains($0) }
        #expect(present == [false, false, true])
        let currency = store[0x9F42]
        #expect(currency == bytes("0840"))
    }

    @Test func `secret objects are not among the open ones, and print nothing`() throws {
        var store = DataObjectStore()
        try store.storeFromCard([
            BERTLV(0x5A, bytes("4761739001010010")), BERTLV(0x57, bytes("4761739001010010D311220111F0")),
        ])
        let open = [store[0x5A], store[0x57]]
        let isThere = [store.contains(0x5A), store.contains(0x57)]
        let lastFour = try store.primaryAccountNumber().lastFour
        let copy = store.copyForCard(0x5A)
        #expect(open == [nil, nil])
        #expect(isThere == [true, true])
        #expect(lastFour == "0010")
        #expect(copy == bytes("4761739001010010"))
        var text = ""
        dump(SecretDataObject(bytes("4761739001010010")), to: &text)
        text += String(describing: SecretDataObject(bytes("4761739001010010")))
        text += String(reflecting: SecretDataObject(bytes("4761739001010010")))
        #expect(!text.contains("4761") && !text.contains("71, 97"))
    }

    // EMV Book 4 §6.7.3: two digits of a year are a year of 2000 to 2049 or of 1950 to 1999
    @Test(arguments: [
        ("260102", 2026, 1, 2), ("491231", 2049, 12, 31), ("500101", 1950, 1, 1), ("240229", 2024, 2, 29),
        ("000229", 2000, 2, 29),
    ])
    func `dates are read with their century`(text: String, year: Int, month: Int, day: Int) throws {
        let date = try #require(EMVDate(bytes: bytes(text)))
        #expect((date.year, date.month, date.day) == (year, month, day))
    }

    // EMV Book 3 §7.5: a date that the calendar does not have is a format error
    @Test(arguments: ["250229", "261301", "260001", "260100", "260431", "2A0101", "2601", ""])
    func `an invalid date is rejected`(text: String) {
        #expect(EMVDate(bytes: bytes(text)) == nil)
    }
}
