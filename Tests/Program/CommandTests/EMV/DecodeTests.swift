import Foundation
import Testing

@Suite("emv decode")
struct DecodeTests {
    private static let environment = "6F1A840E315041592E5359532E4444463031A5088801025F2D02656E"
    private static let tree = """
        6F  FCI template (b, 26 bytes, card)
            84  DF name (b, 14 bytes, card)  315041592E5359532E4444463031 = 1PAY.SYS.DDF01, the payment system environment
            A5  FCI proprietary template (b, 8 bytes, card)
                88  short file identifier (b, 1 byte, card)  02 = file 2
                5F2D  language preference (an, 2 bytes, card)  656E = en

        """
    private static let keys: Set<String> = [
        "tag", "name", "format", "source", "offset", "length", "hex", "meaning", "masked", "flags", "problems",
        "children",
    ]

    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func decode(_ arguments: String..., input: String = "") throws -> ProgramResult {
        try Program.run(["emv", "decode"] + arguments, in: scratch, input: input)
    }

    @Test func `digits are decoded in every notation`() throws {
        let spaced = Self.environment.enumerated().map { $0 % 2 == 1 ? "\($1):" : "\($1)" }.joined()
        for arguments in [[Self.environment], ["0x" + Self.environment.lowercased()], [spaced]] {
            let result = try Program.run(["emv", "decode"] + arguments, in: scratch)
            #expect(result.status == 0)
            #expect(result.output == Self.tree)
            #expect(result.error == "")
        }
        #expect(try decode("--as", "tvr", "00", "00", "00", "80", "00").output.contains("4.8  floor limit exceeded"))
    }

    @Test func `data is read from a file of digits, a file of bytes, and standard input`() throws {
        let lines = Self.environment.prefix(20) + "\n" + Self.environment.dropFirst(20) + "\n"
        let text = try scratch.write(String(lines), to: "fci.hex")
        #expect(try decode(text).output == Self.tree)
        let digits = Array(Self.environment.utf8)
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { index in
            UInt8(String(decoding: digits[index...(index + 1)], as: UTF8.self), radix: 16)
        }
        try Data(bytes).write(to: URL(fileURLWithPath: scratch.file("fci.bin")))
        #expect(try decode(scratch.file("fci.bin")).output == Self.tree)
        #expect(try decode("-", input: Self.environment + "\n").output == Self.tree)
    }

    @Test func `a command's data is decoded by the list that it answers`() throws {
        let list = ["--dol", "9F02 06 9F37:04"]
        let result = try Program.run(
            ["emv", "decode", "80AE80000A00000000125001020304", "--as", "command"] + list, in: scratch)
        #expect(result.status == 0, "\(result.error)")
        #expect(result.output.contains("000000001250 = 1250 minor units"), "\(result.output)")
        #expect(result.output.contains("9F37  unpredictable number"))
        let short = try Program.run(["emv", "decode", "80AE80000400000000", "--as", "command"] + list, in: scratch)
        #expect(short.status == 65)
        #expect(short.error.contains("asks for 10 bytes, and the command has 4"), "\(short.error)")
        for arguments in [["--dol", "9F"], ["--dol", "x"], ["--dol", ""], ["--as", "tlv"] + list] {
            let wrong = try Program.run(["emv", "decode", "9F0206000000001250"] + arguments, in: scratch)
            #expect(wrong.status == 64, "\(arguments): \(wrong.output)")
        }
    }

    @Test func `JSON always has all documented keys`() throws {
        let object = try decode(Self.environment, "--json").object()
        #expect(Set(object.keys) == ["kind", "guessed", "length", "values", "error"])
        #expect(object["kind"] as? String == "tlv")
        #expect(object["guessed"] as? Bool == true)
        #expect(object["length"] as? Int == 28)
        #expect(object["error"] is NSNull)
        let values = try #require(object["values"] as? [[String: Any]])
        let template = try #require(values.first)
        #expect(Set(template.keys) == Self.keys)
        #expect(template["hex"] is NSNull)
        let children = try #require(template["children"] as? [[String: Any]])
        let name = try #require(children.first)
        #expect(Set(name.keys) == Self.keys)
        #expect(name["tag"] as? String == "84")
        #expect(name["format"] as? String == "b")
        #expect(name["source"] as? String == "card")
        #expect(name["offset"] as? Int == 2)
        #expect(name["length"] as? Int == 14)
        #expect(name["hex"] as? String == "315041592E5359532E4444463031")
        #expect(name["masked"] as? Bool == false)
        let results = try decode("--as", "95", "0000008000", "--json").object()
        let flags = try #require((results["values"] as? [[String: Any]])?.first?["flags"] as? [[String: Any]])
        #expect(flags.count == 1)
        #expect(flags.first?["byte"] as? Int == 4)
        #expect(flags.first?["mask"] as? String == "80")
        #expect(flags.first?["name"] as? String == "floor limit exceeded")
    }

    @Test func `truncated data is shown as far as it was read, with the position, and exits with 65`() throws {
        let cut = String(Self.environment.dropLast(4))
        let result = try decode(cut)
        #expect(result.status == 65)
        #expect(result.output.contains("84  DF name (b, 14 bytes, card)  3150"))
        #expect(result.output.contains("cut off: 0 of its 2 bytes are there"))
        #expect(result.error.hasPrefix("cardpresent: 5F2D has 0 of its 2 bytes, at offset 26\n"))
        let object = try decode(cut, "--json").object()
        let error = try #require(object["error"] as? [String: Any])
        #expect(error["code"] as? String == "malformed_data")
        #expect(error["offset"] as? Int == 26)
        #expect((object["values"] as? [[String: Any]])?.count == 1)
    }

    @Test(
        arguments: [
            (["--as", "tvx", "00"], 64, "unknown_kind"), (["--scheme", "visia", "00"], 64, "unknown_scheme"),
            (["0000"], 65, "unknown_data"), (["6F1"], 65, "odd_digits"), (["no-such-file"], 65, "not_hexadecimal"),
            (["6F", "1X"], 65, "not_hexadecimal"), ([""], 65, "no_data"), (["/"], 65, "unreadable_file"),
            ([], 64, "usage"),
        ] as [([String], Int32, String)])
    func `invalid data is rejected with an error code`(
        arguments: [String], status: Int32, code: String
    ) throws {
        let result = try Program.run(["emv", "decode"] + arguments + ["--json"], in: scratch)
        #expect(result.status == status)
        let error = try #require(try result.object()["error"] as? [String: Any])
        #expect(error["code"] as? String == code)
        #expect(!result.error.isEmpty)
    }

    @Test func `a file with other text, and one that is too long, are rejected`() throws {
        let text = try scratch.write("6F1A the quick brown fox", to: "text")
        #expect(try decode(text).error.contains("invalid character 6"))
        let long = try scratch.write(String(repeating: "00", count: 70_000), to: "long")
        #expect(try decode(long).error.contains("more than 65536 bytes"))
    }

    @Test func `the output contains no card data, valid or not`() throws {
        let number = "4761739001010010"
        for data in [
            "5A08\(number)", "5711\(number)D25122011143878044", "5A09\(number)", "5A08\(number)1", "5A08\(number)X",
            "DF0108\(number)", number, "7004FF\(number)",
        ] {
            for json in [[], ["--json"]] {
                let result = try Program.run(["emv", "decode", data] + json, in: scratch)
                for text in [result.output, result.error] {
                    #expect(!text.contains(number), "\(data)")
                    #expect(!text.contains("900101"), "\(data)")
                    #expect(!text.contains("1143878044"), "\(data)")
                }
            }
        }
        #expect(try decode("5A08\(number)").output.contains("476173******0010"))
    }

    @Test func `the meaning of proprietary data depends on the payment system`() throws {
        let data = "06020103A40000"
        #expect(try decode("--as", "iad", data).output.contains("Visa, format 0"))
        #expect(try decode("--as", "iad", "--scheme", "american-express", data).output.contains("American Express"))
        #expect(try decode("--as", "9F6E", "--scheme", "mastercard", "08400000303000").output.contains("third party"))
    }

    @Test func `the examples in the help work`() throws {
        let help = try decode("--help").output
        #expect(help.contains("EXAMPLES:"))
        let lines = help.split(separator: "\n").map { $0.drop { $0 == " " } }
        let examples = lines.filter {
            $0.hasPrefix("cardpresent emv decode") && !$0.contains("de55") && !$0.contains("<")
        }
        #expect(examples.count >= 4)
        for example in examples {
            let words = example.split(separator: " ").dropFirst().map(String.init)
            #expect(try Program.run(words, in: scratch).status == 0, "\(example)")
        }
    }
}
