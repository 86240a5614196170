import Determinism
import Networking
import Testing
import Text

struct JSONDocumentTests {
    private func value(_ text: String) throws -> JSONValue { try JSONDocument(Array(text.utf8)).value }

    @Test func `every kind of value is parsed exactly`() throws {
        let text = #" {"a":[null,true,false,-0.50,1e5,"x"],"b":{},"c":[]} "#
        #expect(
            try value(text)
                == .object([
                    .init("a", [.null, true, false, .number("-0.50"), .number("1e5"), "x"]), .init("b", .object([])),
                    .init("c", []),
                ]))
    }

    @Test func `escapes are decoded, and an unpaired surrogate is replaced`() throws {
        #expect(
            try value(#""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\ud83d""#) == "\"\\/\u{8}\u{C}\n\r\t\u{E9}\u{1F600}\u{FFFD}")
    }

    @Test func `written JSON is parsed again`() throws {
        let value: JSONValue = ["a\"b": ["x\n\u{1}\u{1F600}", 12, true, .null, ["c": []]]]
        #expect(try self.value(value.jsonText) == value)
    }

    @Test func `a byte order mark and a trailing comma are accepted`() throws {
        #expect(try JSONDocument([0xEF, 0xBB, 0xBF] + Array("[1,]".utf8)).value == [1])
        #expect(try value(#"{"a":1,}"#) == ["a": 1])
    }

    @Test(arguments: [
        ("", JSONSyntaxError.Problem.empty, 0), ("  \n", .empty, 3),
        ("<!doctype html>", .markup, 0), ("{\"a\":", .cut, 5), ("[1,", .cut, 3), ("\"abc", .cut, 4),
        ("\"abc\\", .cut, 5),
        ("tru", .cut, 3), ("[12", .cut, 3), ("-", .cut, 0), ("[01]", .malformedNumber, 1),
        ("[1.]", .malformedNumber, 1),
        ("[1e]", .malformedNumber, 1), ("\"\\x\"", .malformedText, 1), ("\"\\u12g4\"", .malformedText, 1),
        ("\"a\u{1}\"", .malformedText, 2), ("{a:1}", .unexpectedByte(0x61), 1), ("[1 2]", .unexpectedByte(0x32), 3),
        ("nul!", .unexpectedByte(0x21), 3), ("1 2", .trailingBytes, 2), ("{\"a\" 1}", .unexpectedByte(0x31), 5),
    ])
    func `invalid JSON is rejected with its position`(text: String, problem: JSONSyntaxError.Problem, offset: Int) {
        let error = #expect(throws: JSONSyntaxError.self) { try JSONDocument(Array(text.utf8)) }
        #expect(error?.problem == problem)
        #expect(error?.offset == offset)
    }

    @Test func `another character encoding is an error`() {
        let bytes = Array("[\"caf".utf8) + [0xE9] + Array("\"]".utf8)
        let error = #expect(throws: JSONSyntaxError.self) { try JSONDocument(bytes) }
        #expect(error?.problem == .notUTF8)
    }

    @Test func `a thousand nested lists are rejected`() {
        let text = String(repeating: "[", count: 1000)
        let error = #expect(throws: JSONSyntaxError.self) { try JSONDocument(Array(text.utf8)) }
        #expect(error?.problem == .tooDeep)
    }

    @Test func `random bytes are parsed or rejected`() {
        let random = SeededRandomSource(seed: 3)
        let good = Array(#"{"a":[1,2.5,"x\u00e9"],"b":{"c":null},"d":true}"#.utf8)
        for _ in 0..<3000 {
            var bytes = good
            for _ in 0...random.number(in: 0...3) {
                let index = Int(random.number(in: 0...UInt32(bytes.count - 1)))
                bytes[index] = random.bytes(1)[0]
            }
            if let document = try? JSONDocument(bytes) { _ = document.value.jsonText }
            _ = try? JSONDocument(random.bytes(20))
        }
    }
}
