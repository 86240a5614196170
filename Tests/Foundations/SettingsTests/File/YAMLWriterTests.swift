import Settings
import Testing

@Suite("Values that are written as YAML")
struct YAMLWriterTests {
    /// The value of a text, read again.
    private func reread(_ node: SettingsNode) throws -> SettingsNode {
        try SettingsDocument(text: node.yaml, file: "written.yaml").root
    }

    @Test(
        "a text is read as it was, whatever is in it",
        arguments: [
            "", " ", "~", "null", "true", "12.50", "0010", "- a", "a: b", "a #b", "*star", "*", "&a", "!tag", "'", "\"",
            "back\\slash", "two\nlines\n", "tab\t", "\u{1}\u{7F}\u{85}\u{2028}\u{FEFF}", "größer", "日本", "😀", "{a}",
            "[b]", ",", "a,b", "@", "%", "`", "|", ">", "? x", "trailing ", "a:", "---", "...", "0x1F", "1e3", "yes",
        ])
    func texts(text: String) throws {
        let node = SettingsNode.mapping([
            ("key", .text(text)), ("list", .list([.text(text), .text("b")])),
            ("deep", .list([.mapping([("k", .text(text))])])),
        ])
        let again = try reread(node)
        #expect(try again.required("key").text(length: 0...100) == text)
        #expect(try again.required("list").list().map { try $0.text(length: 0...100) } == [text, "b"])
        #expect(try again.required("deep").list().first?.required("k").text(length: 0...100) == text)
        #expect(again.yaml == node.yaml)
    }

    @Test("truth values and numbers stay what they are")
    func plain() throws {
        let again = try reread(.mapping([("yes", .text("true")), ("number", .text("12"))]))
        #expect(try again.required("yes").bool())
        #expect(try again.required("number").int() == 12)
    }

    @Test("patterns with many stars are read, although a reader takes few aliases")
    func stars() throws {
        let texts = (0..<100).map { "*star\($0)*" }
        let again = try reread(.list(texts.map { .text($0) }))
        #expect(try again.list().map { try $0.text() } == texts)
    }

    @Test("short values are on one line, and lists of mappings in blocks")
    func layout() {
        let node = SettingsNode.mapping([
            ("a", .list([.text("x"), .text("y z")])),
            (
                "steps",
                .list([
                    .text("connect"),
                    .mapping([("pay", .text("12.50")), ("expect", .mapping([("outcome", .text("ok"))]))]),
                ])
            ),
            ("long", .list((0..<30).map { .text("entry \($0)") })), ("none", .list([])), ("empty", .mapping([])),
        ])
        let lines = node.yaml.split(separator: "\n").map(String.init)
        #expect(
            lines.prefix(4) == ["a: [x, y z]", "steps:", "  - connect", "  - { pay: 12.50, expect: { outcome: ok } }"])
        #expect(lines.contains("long:") && lines.contains("  - entry 29"))
        #expect(lines.suffix(2) == ["none: []", "empty: {}"])
    }
}
