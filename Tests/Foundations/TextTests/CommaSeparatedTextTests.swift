import Testing
import Text

@Suite struct CommaSeparatedRowsTests {
    @Test func `fields are read with and without quotes, and lines are counted inside them, too`() {
        let rows = Array(CommaSeparatedRows("\u{FEFF}a,\"b \"\"x\"\"\"\r\n\"two\nlines\",\n\nlast"))
        #expect(rows.map(\.fields) == [["a", "b \"x\""], ["two\nlines", ""], [""], ["last"]])
        #expect(rows.map(\.line) == [1, 2, 4, 5])
        #expect(rows.allSatisfy { $0.problem == nil })
        #expect(Array(CommaSeparatedRows("")).isEmpty)
    }

    @Test(arguments: ["a\"b", "\"a\"b", "\"a\"\"", "x,\"open\nline"])
    func `a quotation mark in the wrong place is a problem of its row`(_ text: String) {
        #expect(CommaSeparatedRows(text).contains { $0.problem != nil })
    }

    @Test func `what is written is read again`() {
        let rows = [["a,b", "say \"yes\"", "two\r\nlines"], ["", "\r", "x"]]
        #expect(CommaSeparatedRows(CommaSeparatedText.text(rows)).map(\.fields) == [rows[0], ["", "'\r", "x"]])
    }
}

@Suite struct CommaSeparatedTextTests {
    @Test func `rows end with CR LF, and every field is quoted`() {
        #expect(
            CommaSeparatedText.text([["id", "amount"], ["P000001", ""]]) == "\"id\",\"amount\"\r\n\"P000001\",\"\"\r\n")
        #expect(CommaSeparatedText.text([]) == "")
    }

    @Test func `commas, quotes, and line breaks stay inside their field`() {
        #expect(
            CommaSeparatedText.text([["a,b", "say \"yes\"", "two\r\nlines", "three\nlines"]])
                == "\"a,b\",\"say \"\"yes\"\"\",\"two\r\nlines\",\"three\nlines\"\r\n")
        // A quote with a combining mark is one character, and is doubled all the same.
        #expect(CommaSeparatedText.text([["\"\u{301}"]]) == "\"\"\"\u{301}\"\r\n")
    }

    @Test(arguments: [
        "=1+1", "+1-800-555", "-2+3", "@SUM(A1)", "\tx", "\rx", "\r\nx", "\nx", "  =1", "=cmd|' /C calc'!A0", "-",
        "+.5",
        "\u{FF1D}1", "'=1", "''-",
    ])
    func `a field that a spreadsheet would calculate is text`(field: String) {
        #expect(CommaSeparatedText.text([[field]]) == "\"'\(field)\"\r\n")
        #expect(CommaSeparatedText.unguarded("'" + field) == field)
    }

    @Test(arguments: ["12.50", "-2.50", "+3", "a=b", "P000001", "", "  ", "2026-01-02T12:00:00Z", "'x"])
    func `other fields stay as they are`(field: String) {
        #expect(CommaSeparatedText.text([[field]]) == "\"\(field)\"\r\n")
        #expect(CommaSeparatedText.unguarded(field) == field)
    }
}
