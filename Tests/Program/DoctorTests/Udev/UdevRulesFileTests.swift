import Determinism
import Testing

@testable import Doctor

@Suite struct UdevRulesFileTests {
    @Test func `a rule is its conditions and its assignments`() throws {
        let file = UdevRulesFile(
            """
            # a comment
              # another

            SUBSYSTEM=="usb", ATTR{idVendor}!="08e6" , ENV{A}+="b", \\
                # inside
                GROUP:="c,d", RUN{program} = "e \\"f\\""
            ATTRS{x}==e"\\x05"
            """)
        #expect(file.faultyLines.isEmpty)
        #expect(file.rules.map(\.line) == [4, 7])
        let rule = try #require(file.rules.first)
        #expect(rule.tokens.map(\.key) == ["SUBSYSTEM", "ATTR", "ENV", "GROUP", "RUN"])
        #expect(rule.tokens.map(\.attribute) == [nil, "idVendor", "A", nil, "program"])
        #expect(rule.tokens.map(\.operation) == ["==", "!=", "+=", ":=", "="])
        #expect(rule.tokens.map(\.value) == ["usb", "08e6", "b", "c,d", "e \\\"f\\\""])
        #expect(rule.required("SUBSYSTEM") == "usb")
        #expect(rule.assigned("GROUP") == "c,d")
        #expect(rule.assigned("ENV", "A") == nil)
        #expect(file.rules.last?.tokens.first?.value == "\\x05")
    }

    @Test(arguments: ["GROUP", "GROUP=", "GROUP=x", "GROUP=\"x", "GROUP{=\"x\"", "=\"x\"", "GROUP~\"x\"", "\"x\""])
    func `an invalid line is reported, and the others are parsed`(line: String) {
        let file = UdevRulesFile("A==\"1\"\n\(line)\nB==\"2\"")
        #expect(file.rules.map(\.line) == [1, 3])
        #expect(file.faultyLines == [2])
    }

    @Test func `a line that goes on at the end of the file ends there`() {
        #expect(UdevRulesFile("A==\"1\", \\").rules.map(\.line) == [1])
        #expect(UdevRulesFile("\\\n\\\n").rules.isEmpty)
    }

    @Test func `no text makes it trap`() {
        let random = SeededRandomSource(seed: 60)
        let alphabet = Array("GROUPA{}=!+:\"\\ \t,\n#e\u{E9}\0")
        for _ in 0..<2000 {
            let length = Int(random.bytes(1)[0])
            let text = String(random.bytes(length).map { alphabet[Int($0) % alphabet.count] })
            let file = UdevRulesFile(text)
            #expect(file.rules.count + file.faultyLines.count <= text.split(separator: "\n").count)
        }
    }
}
