import SettingsFile
import Testing

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
        #expect(error("{\"name\": 1}\n[1]") == "list:2: a mapping is wanted here, not a list")
        #expect(error("{\"name\": 1}\n\n{\"name\": 1, \"name\": 2}")?.hasPrefix("list:3: the key 'name' is") == true)
        #expect(error("{\"name\": 1}\n{\"name\": *a}")?.hasPrefix("list:2: ") == true)
        #expect(error("name: a") == "list:1: a list is wanted here, not a mapping")
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
