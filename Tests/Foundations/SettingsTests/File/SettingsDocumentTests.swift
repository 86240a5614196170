import Glibc
import Settings
import Testing

private func document(_ text: String) throws(SettingsError) -> SettingsNode {
    try SettingsDocument(text: text, file: "terminal.yaml").root
}

private func problem(_ text: String) -> SettingsProblem? {
    do {
        _ = try document(text)
        return nil
    } catch {
        return error.problem
    }
}

private func error<Value>(_ body: () throws(SettingsError) -> Value) -> SettingsError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error
    }
}

struct SettingsDocumentTests {
    private let sample = """
        # a terminal
        country: 840
        name: "Corner shop"
        applications:
          - aid: A0000000031010
            floorLimit: abc
            cvm: [ signature, none ]
          - aid: 'A0 00 00 00 04 10 10'
            floorLimit: 5000
        offline: true
        comment:
        """

    @Test func `values are found by key and position`() throws {
        let root = try document(sample)
        #expect(try root.required("country").int(in: 0...999) == 840)
        #expect(try root.required("name").text() == "Corner shop")
        #expect(try root.required("offline").bool())
        #expect(try root.optional("comment") == nil)
        #expect(try root.optional("nothing") == nil)
        let applications = try root.required("applications").list()
        #expect(applications.count == 2)
        #expect(try applications[1].required("aid").hex(length: 5...16) == [0xA0, 0, 0, 0, 4, 0x10, 0x10])
        #expect(try applications[0].required("cvm").list().map { try $0.text() } == ["signature", "none"])
    }

    @Test func `an error contains file, line, key path, and problem`() throws {
        let application = try document(sample).required("applications").list()[0]
        let error = error { () throws(SettingsError) in try application.required("floorLimit").int() }
        #expect(error?.description == "terminal.yaml:6: applications[0].floorLimit: 'abc' is not a number")
        #expect(error?.location == SettingsLocation(file: "terminal.yaml", line: 6, column: 17))
    }

    @Test func `a missing key and a key without a value are distinguished`() throws {
        let root = try document(sample)
        #expect(error { () throws(SettingsError) in try root.required("terminal") }?.problem == .missingKey("terminal"))
        let blank = error { () throws(SettingsError) in try root.required("comment") }
        #expect(blank?.description == "terminal.yaml:11: comment: expected text, found nothing")
    }

    @Test func `an unknown key is rejected at its line with a suggestion`() throws {
        let root = try document(sample)
        let error = error { () throws(SettingsError) in
            try root.mapping(allowedKeys: ["county", "country", "name", "application", "offline", "comment"])
        }
        #expect(error?.description == "terminal.yaml:4: unknown key 'applications'; did you mean 'application'?")
        #expect(error?.fix == "did you mean 'application'?")
    }

    @Test(arguments: [
        ("[1, 2", 1), ("a: [b\nc: d", 2), ("a: b: c", 1), ("a: \"unclosed", 1), ("a: %b", 1), ("{a: 1}}", 1),
    ])
    func `text that is not YAML is a located syntax error`(text: String, line: Int) {
        let error = error { () throws(SettingsError) in try document(text) }
        guard case .syntax? = error?.problem else {
            Issue.record("\(text): \(String(describing: error))")
            return
        }
        #expect(error?.location.line ?? 0 >= line)
    }

    @Test func `a tab in the indentation is named`() {
        let error = error { () throws(SettingsError) in try document("a:\n\tb: 1") }
        #expect(error?.problem == .tab)
        #expect(error?.location.line == 2)
        #expect(error?.fix == "indent with spaces")
    }

    @Test(arguments: ["", "# only a comment\n", "---\n", "~", "\n\n", "null\n", "--- # nothing\n...\n"])
    func `a document without settings is refused`(text: String) {
        #expect(problem(text) == .emptyDocument)
    }

    @Test func `a second document is refused`() {
        #expect(problem("a: 1\n---\nb: 2\n") == .severalDocuments)
    }

    @Test func `a duplicate key is rejected`() {
        #expect(problem("a: 1\nb: 2\na: 3\n") == .duplicateKey("a"))
        #expect(problem("a: 1\n\"a\": 3\n") == .duplicateKey("a"))
    }

    @Test func `keys that are lists or mappings are refused`() {
        #expect(problem("? [a, b]\n: 1\n") == .keyIsNotText)
        #expect(problem("? {a: b}\n: 1\n") == .keyIsNotText)
    }

    @Test(arguments: ["a: &x 1\n", "a: *x\n", "a: &x [1]\nb: *x\n", "&x a: 1", "? *x\n: 1", "? &y [1]\n: 1"])
    func `anchors and aliases are refused`(text: String) {
        #expect(problem(text) == .anchorOrAlias)
    }

    @Test func `an alias bomb is rejected at once`() {
        var bomb = "l0: &l0 [x, x, x, x, x, x, x, x, x]\n"
        for level in 1...30 {
            bomb += "l\(level): &l\(level) [" + Array(repeating: "*l\(level - 1)", count: 9).joined(separator: ", ")
            bomb += "]\n"
        }
        #expect(problem(bomb) == .anchorOrAlias)
        #expect(problem(bomb + "? *l30\n: 1\n") == .anchorOrAlias)
    }

    @Test func `stars and ampersands in text are text`() throws {
        let root = try document("a: fish & chips\nb: '*bold*'\nc: 5 * 3\n")
        #expect(try root.required("a").text() == "fish & chips")
        #expect(try root.required("b").text() == "*bold*")
        #expect(try root.required("c").text() == "5 * 3")
    }

    @Test func `size, depth and number of values have limits`() {
        #expect(problem("a: " + String(repeating: "x", count: 300_000)) == .tooLarge(limit: 262_144))
        #expect(problem(String(repeating: "[", count: 40) + String(repeating: "]", count: 40)) == .tooDeep(limit: 32))
        #expect(problem(String(repeating: "- ", count: 40) + "x") == .tooDeep(limit: 32))
        #expect(problem("[" + String(repeating: "x,", count: 25_000) + "]") == .tooManyValues(limit: 20_000))
    }

    @Test(arguments: ["[", "{", "- ", "? ", "a: {", "[{"])
    func `nesting without end is an error, not a crash`(unit: String) {
        #expect(problem(String(repeating: unit, count: 60_000)) != nil)
    }

    @Test func `a byte order mark and line ends of Windows are no trouble`() throws {
        let root = try document("\u{FEFF}a: 1\r\nb:\r\n  - x\r\n")
        #expect(try root.required("a").int() == 1)
        #expect(try root.required("b").list()[0].location.line == 3)
    }

    @Test func `control characters are a syntax error at their line`() {
        let error = error { () throws(SettingsError) in try document("a: 1\r\nb: \u{1}\n") }
        #expect(error?.location.line == 2)
    }

    @Test func `a file is read, and an unreadable one is reported with the reason`() throws {
        var template = Array("/tmp/settings-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { unlink(path) }
        let text = "a: 12\n"
        #expect(text.withCString { write(descriptor, $0, text.utf8.count) } == text.utf8.count)
        #expect(try SettingsDocument(path: path).root.required("a").int() == 12)
        let invalid: [UInt8] = [0xFF, 0xFE]
        #expect(write(descriptor, invalid, 2) == 2)
        close(descriptor)
        #expect(error { () throws(SettingsError) in try SettingsDocument(path: path) }?.problem == .notText)
        #expect(
            error { () throws(SettingsError) in try SettingsDocument(path: "/nowhere/x.yaml") }?.description
                == "/nowhere/x.yaml: cannot read the file: No such file or directory")
        #expect(
            error { () throws(SettingsError) in try SettingsDocument(path: "/tmp") }?.problem
                == .unreadableFile(reason: "not a regular file"))
    }
}

/// Lists in YAML and as JSON lines.
struct SettingsListTests {
    private func names(_ text: String) throws -> [String] {
        try SettingsDocument.list(text: text, file: "list").map { try $0.required("name").text() }
    }

    private func error(_ text: String) -> String? {
        do {
            _ = try SettingsDocument.list(text: text, file: "list").map { try $0.mapping(allowedKeys: ["name"]) }
            return nil
        } catch {
            return (error as? SettingsError)?.description
        }
    }

    @Test(arguments: [
        "- name: a\n- name: b\n", "[{name: a}, {name: b}]", "- {\"name\": \"a\"}\n- {\"name\": \"b\"}",
        "{\"name\": \"a\"}\n{\"name\": \"b\"}\n", "\n# names\n  {\"name\": \"a\"}\r\n\n{\"name\": \"b\"}",
        "\u{FEFF}{\"name\": \"a\"}\n# more\n{\"name\": \"b\"}",
    ])
    func `a list is read from YAML and from JSON lines`(text: String) throws {
        #expect(try names(text) == ["a", "b"])
    }

    @Test func `a fault in a line is named with that line`() throws {
        #expect(error("{\"name\": 1}\n\n{\"nam\": 2}") == "list:3: unknown key 'nam'; did you mean 'name'?")
        let open = try #require(error("{\"name\": 1}\n{\"name\": 1"))
        #expect(open.hasPrefix("list:2: not valid YAML"), "\(open)")
        #expect(error("{\"name\": 1}\n[1]") == "list:2: expected a mapping, found a list")
        #expect(error("{\"name\": 1}\n\n{\"name\": 1, \"name\": 2}")?.hasPrefix("list:3: duplicate key 'name'") == true)
        #expect(error("{\"name\": 1}\n{\"name\": *a}")?.hasPrefix("list:2: ") == true)
        #expect(error("name: a") == "list:1: expected a list, found a mapping")
        #expect(error("") == "list:1: the file has no settings")
        #expect(error("# nothing\n\n") == "list:1: the file has no settings")
    }

    @Test func `there are no more lines than values are allowed`() throws {
        let limits = SettingsDocument.Limits(bytes: 1000, depth: 3, values: 3)
        let line = "{\"name\": 1}\n"
        #expect(
            try SettingsDocument.list(text: String(repeating: line, count: 3), file: "list", limits: limits).count == 3)
        let error = #expect(throws: SettingsError.self) {
            try SettingsDocument.list(text: String(repeating: line, count: 4), file: "list", limits: limits)
        }
        #expect(error?.description == "list:4: the file has more than 3 values")
    }
}
