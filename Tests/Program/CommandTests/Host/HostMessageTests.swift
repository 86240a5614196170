import Foundation
import Testing

@Suite("Messages of payment hosts")
struct HostMessageTests {
    private static let echo =
        "003730383030383232303030303030303030303030303034303030303030303030303030303031313233303131363030303030303032333031"
    private static let number = "4761739001010010"
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func host(_ arguments: String..., input: String = "") throws -> ProgramResult {
        try Program.run(["host"] + arguments, in: scratch, input: input)
    }

    @Test func `a message is decoded from digits, characters, a file, and standard input`() throws {
        let expected = """
            0800 network management request
               36   10    7  Transmission date and time           1123011600
               46    6   11  System trace audit number (STAN)     000002
               52    3   70  Network management information code  301

            """
        let characters = "0800822000000000000004000000000000001123011600000002301"
        let file = try scratch.write(Self.echo + "\n", to: "echo.hex")
        for arguments in [[Self.echo], [String(Self.echo.dropFirst(4))], [characters], [file]] {
            let result = try Program.run(["host", "decode", "--profile", "iso87-ascii"] + arguments, in: scratch)
            #expect(result.status == 0, "\(result.error)")
            #expect(result.output == expected)
        }
        #expect(try host("decode", "-", "--profile", "iso87-ascii", input: Self.echo).output == expected)
        let object = try host("decode", Self.echo, "--profile", "iso87-ascii", "--json").object()
        #expect(Set(object.keys) == ["profile", "messages", "otherStreams", "error"])
        let message = try #require((object["messages"] as? [[String: Any]])?.first?["message"] as? [String: Any])
        #expect(message["type"] as? String == "0800")
        #expect((message["fields"] as? [[String: Any]])?.count == 3)
    }

    @Test func `a wrong message tells field, offset, and rule`() throws {
        let cut = try host("decode", String(Self.echo.dropLast(2)), "--profile", "iso87-ascii")
        #expect(cut.status == 65)
        #expect(cut.error.contains("offset"), "\(cut.error)")
        let other = try host("decode", Self.echo, "--profile", "iso2003", "--json")
        #expect(other.status == 65)
        #expect((try other.object()["error"] as? [String: Any])?["code"] as? String == "malformed_message")
        #expect(try host("decode", "xyz", "--profile", "iso2003").status == 65)
        for (data, profile, character) in [("0200…", "iso87-ascii", "…"), ("02 0z", "iso2003", "z")] {
            let strange = try host("decode", data, "--profile", profile)
            #expect(strange.status == 65)
            #expect(strange.error.contains("'\(character)' is no hexadecimal digit"), "\(strange.error)")
        }
        let unknown = try host("decode", Self.echo, "--profile", "iso87-asci")
        #expect(unknown.status == 64)
        #expect(unknown.error.contains("did you mean 'iso87-ascii'?"))
    }

    @Test func `a message is encoded from words and from lines`() throws {
        let words = ["0800", "7=1123011600", "11=2", "70=301"]
        let typed = try Program.run(["host", "encode", "--profile", "iso87-ascii"] + words, in: scratch)
        #expect(typed.output == Self.echo + "\n", "\(typed.error)")
        let lines = try host(
            "encode", "--file", "-", "--profile", "iso87-ascii", "--bare",
            input: "# an echo\n" + words.joined(separator: "\n") + "\n")
        #expect(lines.output == Self.echo.dropFirst(4) + "\n", "\(lines.error)")
        let object = #"{ "type": "0800", "fields": {"7":"1123011600", "11": 2, "70" : "301"} }"#
        #expect(try host("encode", "--file", "-", "--profile", "iso87-ascii", input: object).output == Self.echo + "\n")
        for wrong in ["{", "{}", #"{"type":"0800","fields":{"7":}}"#, #"{"type":"0800"} x"#, #"{"other":"1"}"#] {
            let result = try host("encode", "--file", "-", "--profile", "iso87-ascii", input: wrong)
            #expect(result.status == 65, "\(wrong)")
        }
        let json = try host("encode", "0800", "70=301", "--profile", "iso87-ascii", "--json").object()
        #expect(json["length"] as? Int == 41)
    }

    @Test func `card data is refused on the command line and masked in dumps`() throws {
        let refused = try host("encode", "0200", "2=\(Self.number)", "3=0", "--profile", "iso87-ascii")
        #expect(refused.status == 64)
        #expect(!(refused.output + refused.error).contains(Self.number))
        #expect(refused.error.contains("--file"))
        let file = try scratch.write(
            "0200\n2=\(Self.number)\n3=000000\n4=1250\n35=\(Self.number)=30122011143804489\n52=621F91F5470F2CFE\n"
                + "55=5A084761739001010010\n", to: "sale.txt")
        let made = try host("encode", "--file", file, "--profile", "iso87-bcd-tpdu")
        #expect(made.status == 0, "\(made.error)")
        for more in [[], ["--json"]] {
            let shown = try Program.run(
                ["host", "decode", "--profile", "iso87-bcd-tpdu", "-"] + more, in: scratch, input: made.output)
            #expect(shown.status == 0, "\(shown.error)")
            #expect(shown.output.contains("************0010"))
            for secret in [Self.number, "30122011143804489", "621F91F5470F2CFE"] {
                #expect(!(shown.output + shown.error).contains(secret))
            }
        }
    }

    @Test(arguments: [
        ["0219", "70=301"], ["0800", "70"], ["0800", "x=1"], ["0800", "193=1"], ["0800", "70=301", "70=301"],
        ["1800", "70=301"], ["0800", "64=1"],
    ])
    func `a wrong word is refused`(words: [String]) throws {
        let result = try Program.run(["host", "encode", "--profile", "iso87-ascii"] + words, in: scratch)
        #expect(result.status == 64, "\(words): \(result.output)")
    }

    @Test func `a value that does not fit is refused`() throws {
        let result = try host("encode", "0800", "70=3011", "--profile", "iso87-ascii")
        #expect(result.status == 65)
        #expect(result.error.contains("field 70 (Network management information code)"), "\(result.error)")
    }

    @Test func `profiles are listed, shown, and checked`() throws {
        let list = try host("profiles", "list", "--json").list()
        #expect(list.map { $0["name"] as? String } == ["iso87-ascii", "iso87-bcd-tpdu", "iso93-ebcdic", "iso2003"])
        #expect(try host("profiles", "show", "iso93-ebcdic").output.contains("1804 → 1814"))
        let file = try host("profiles", "show", "iso87-bcd-tpdu", "--file")
        let path = try scratch.write(file.output, to: "host.yaml")
        #expect(try host("profiles", "check", path).output == "\(path) is valid\n")
        let wrong = try scratch.write("profile: x\nversion: 1987\nencodng: {}\nfields: { 1: {} }\n", to: "wrong.yaml")
        let result = try host("profiles", "check", wrong)
        #expect(result.status == 78)
        #expect(result.error.contains("wrong.yaml:3: unknown key 'encodng'"), "\(result.error)")
        let object = try host("profiles", "check", wrong, "--json").object()
        #expect((object["mistakes"] as? [Any])?.isEmpty == false)
        #expect(try host("decode", Self.echo, "--profile", wrong).status == 78)
        let schema = try host("profiles", "schema").object()
        #expect(schema["title"] as? String == "CardPresent message profile")
    }
}
