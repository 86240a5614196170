import Determinism
import Money
import Networking
import Testing

struct DocumentDecoderTests {
    private struct Thing: Decodable, Hashable, Sendable {
        let id: Int64
        let name: String
        let isOpen: Bool
        let total: ExactDecimal
        let count: Int?
        let dateCreatedGMT: Timestamp?
        let tags: [String]
        let parts: [Part]
        let links: [String: String]
        let extra: Part?
    }

    private struct Part: Decodable, Hashable, Sendable {
        let id: Int64
        let note: String?
    }

    private func thing(_ text: String) throws(NetworkError) -> Thing {
        try ValueMapper(Thing.self).map(response: Array(text.utf8), envelope: .none)
    }

    private func failure(_ text: String) -> DecodingFailure? {
        do throws(NetworkError) {
            _ = try thing(text)
            return nil
        } catch {
            guard case .undecodable(let failure) = error else { return nil }
            return failure
        }
    }

    @Test func `member names match regardless of case and underscores`() throws {
        let thing = try thing(
            """
            {"ID":7,"name":"n","is_open":true,"total":"33.30","count":2,"date_created_gmt":"2026-01-02T03:04:05",
             "tags":["a"],"parts":[{"id":1,"note":"x"}],"links":{"a_b":"c"},"extra":{"id":2}}
            """)
        #expect(thing.id == 7)
        #expect(thing.total.description == "33.30")
        #expect(thing.dateCreatedGMT?.description == "2026-01-02T03:04:05.000Z")
        #expect(thing.parts == [Part(id: 1, note: "x")])
        #expect(thing.links == ["a_b": "c"])
        #expect(thing.extra == Part(id: 2, note: nil))
    }

    @Test func `WordPress's empty values decode as nil`() throws {
        let thing = try thing(
            """
            {"id":"7","name":null,"is_open":"yes","total":12.5,"count":"","date_created_gmt":null,"tags":false,
             "parts":{"0":{"id":"1","note":5},"2":{"id":3.0,"note":false}},"links":[],"extra":[]}
            """)
        #expect(thing.id == 7)
        #expect(thing.name == "")
        #expect(thing.isOpen)
        #expect(thing.total == ExactDecimal("12.50"))
        #expect(thing.count == nil)
        #expect(thing.tags == [])
        #expect(thing.parts == [Part(id: 1, note: "5"), Part(id: 3, note: nil)])
        #expect(thing.links == [:])
        #expect(thing.extra == nil)
        #expect(try self.thing(#"{"id":1,"total":"0"}"#).tags == [])
    }

    @Test(arguments: [
        (#"{"total":"1"}"#, "id is missing"),
        (#"{"id":null,"total":"1"}"#, "id is missing"),
        (#"{"id":1}"#, "total is missing"),
        (#"{"id":"abc","total":"1"}"#, "id is not a whole number"),
        (#"{"id":1.5,"total":"1"}"#, "id is not a whole number in range"),
        (#"{"id":true,"total":"1"}"#, "id is a flag, not a whole number"),
        (#"{"id":99999999999999999999,"total":"1"}"#, "id is not a whole number in range"),
        (#"{"id":1,"total":"1,5"}"#, "total is not a valid ExactDecimal"),
        (#"{"id":1,"total":"NaN"}"#, "total is not a valid ExactDecimal"),
        (#"{"id":1,"total":[1]}"#, "total is a list, not a text"),
        (#"{"id":1,"total":"1","is_open":"perhaps"}"#, "is_open is not a flag such as true or \"yes\""),
        (#"{"id":1,"total":"1","name":{"a":1}}"#, "name is an object, not a text"),
        (#"{"id":1,"total":"1","parts":{"a":1}}"#, "parts is an object, not a list"),
        (#"{"id":1,"total":"1","parts":[{"id":1},{"note":"x"}]}"#, "parts[1].id is missing"),
        (#"{"id":1,"total":"1","date_created_gmt":"yesterday"}"#, "date_created_gmt is not a valid Timestamp"),
        (#"{"id":1,"total":"1","extra":"x"}"#, "extra is a text, not an object"),
        ("[1]", "the response is a list, not an object"),
    ])
    func `an error is reported with its path`(text: String, expected: String) {
        #expect(failure(text)?.description == expected)
    }

    @Test func `values of the request need not be in the response`() throws {
        struct Placed: Decodable, Sendable {
            let siteID: Int64
            let id: Int64
        }
        let mapper = ValueMapper(Placed.self, context: DecodingContext(siteID: 5))
        #expect(try mapper.map(response: Array(#"{"id":1}"#.utf8)).siteID == 5)
    }

    @Test func `one bad element does not fail the list`() throws {
        let list = try ListMapper(Part.self).map(response: Array(#"[{"id":1},{"id":"x"},null,{"id":4}]"#.utf8))
        #expect(list.elements.map(\.id) == [1, 4])
        #expect(list.rejected.map(\.description) == ["[1].id is not a whole number", "[2] is null, not an object"])
    }

    @Test func `mutated responses are decoded or rejected`() {
        let random = SeededRandomSource(seed: 5)
        let good = Array(#"{"id":1,"name":"n","total":"1.5","tags":["a"],"parts":[{"id":2}],"links":{"a":"b"}}"#.utf8)
        for _ in 0..<2000 {
            var bytes = good
            for _ in 0...random.number(in: 0...2) {
                bytes[Int(random.number(in: 0...UInt32(good.count - 1)))] = random.bytes(1)[0]
            }
            for entity in ResponseEntity.all.prefix(4) { _ = try? entity.decode(bytes) }
            _ = try? ValueMapper(Thing.self).map(response: bytes)
        }
    }
}
