import Determinism
import SmartCard
import Testing

@testable import EMV

struct DataObjectListTests {
    private func fill(_ list: String, _ values: [BERTag: String]) throws -> String {
        try DataObjectList(bytes(list)).filled { tag in values[tag].map(bytes) }.hexText
    }

    // EMV Book 3 §5.4: a data object list is filled with the values alone, in the order of the list
    @Test func `values of the right length go in as they are, in the card's order`() throws {
        #expect(
            try fill("9F3704 9C01 9F0206", [0x9F02: "000000001250", 0x9C: "00", 0x9F37: "01020304"])
                == "0102030400000000001250")
    }

    // EMV Book 3 §5.4: what the terminal does not know, templates and missing values become zeros
    @Test func `unknown tags, templates and missing values become zeros`() throws {
        #expect(try fill("DF7F03 6F02 9F3704", [0xDF7F: "010203", 0x6F: "0102"]) == "000000000000000000")
    }

    // EMV Book 3 §5.4: numeric values are filled with zeros on the left, or lose their leftmost bytes
    @Test func `numbers are padded and truncated on the left`() throws {
        #expect(try fill("9F0208", [0x9F02: "000000001250"]) == "0000000000001250")
        #expect(try fill("9F0202", [0x9F02: "000000991250"]) == "1250")
        #expect(try fill("9F1A01", [0x9F1A: "0840"]) == "40")
    }

    // EMV Book 3 §5.4: compressed numeric values are filled with F on the right, or lose their rightmost bytes
    @Test func `compressed numbers are filled with F on the right`() throws {
        #expect(try fill("5A0A", [0x5A: "4761739001010010"]) == "4761739001010010FFFF")
        #expect(try fill("5A02", [0x5A: "4761739001010010"]) == "4761")
    }

    // EMV Book 3 §5.4: other values are filled with zeros on the right, or lose their rightmost bytes
    @Test func `other formats are filled with zeros and cut on the right`() throws {
        #expect(try fill("9F1E0A", [0x9F1E: "3132333435363738"]) == "31323334353637380000")
        #expect(try fill("9F1E02", [0x9F1E: "3132333435363738"]) == "3132")
        #expect(try fill("9506", [0x95: "8000008000"]) == "800000800000")
        #expect(try fill("9500", [0x95: "8000008000"]) == "")
    }

    // EMV Book 3 §5.4: a data object list is pairs of a tag and a length, and may ask for no more than a command can
    // carry
    @Test func `a list that is truncated or requests too much is rejected with the offset`() {
        #expect(throws: DataObjectListError.truncated(offset: 3)) { try DataObjectList(bytes("9F3704 9F")) }
        #expect(throws: DataObjectListError.truncated(offset: 3)) { try DataObjectList(bytes("9F3704 95")) }
        #expect(throws: DataObjectListError.tagTooLong(offset: 0)) { try DataObjectList(bytes("9F8181818101")) }
        #expect(throws: DataObjectListError.asksForTooMuch(offset: 2)) { try DataObjectList(bytes("95FF 9501")) }
        #expect(throws: DataObjectListError.asksForTooMuch(offset: 0)) { try DataObjectList(bytes("95FD"), limit: 252) }
    }

    @Test func `no bytes make it trap, and a parsed list is filled to its length`() throws {
        let random = SeededRandomSource(seed: 3)
        for round in 0..<3000 {
            let input = random.bytes(round % 40)
            guard let list = try? DataObjectList(input) else { continue }
            #expect(list.filled { _ in random.bytes(9) }.count == list.filledLength)
        }
    }

    // EMV Book 3 annex A: each data element has one tag of its own
    @Test func `no two data elements share a tag, and none is a template`() {
        #expect(Set(DataElement.table.map(\.tag)).count == DataElement.table.count)
        #expect(DataElement.table.allSatisfy { !$0.tag.isConstructed })
    }

    @Test func `the elements that name account and holder are secret`() {
        let secret = Set(DataElement.table.filter(\.isSecret).map(\.tag))
        #expect(secret == [0x57, 0x5A, 0x99, 0x5F20, 0x5F53, 0x9F0B, 0x9F1F, 0x9F20])
    }
}
