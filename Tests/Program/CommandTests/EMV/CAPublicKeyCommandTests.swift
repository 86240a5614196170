import Foundation
import Testing

/// `emv capks`
@Suite("emv capks")
struct CAPublicKeyCommandTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// American Express's test key 04 of 768 bits, as open terminals carry it.
    private static let modulus =
        "D0F543F03F2517133EF2BA4A1104486758630DCFE3A883C77B4E4844E39A9BD6"
        + "360D23E6644E1E071F196DDF2E4A68B4A3D93D14268D7240F6A14F0D714C1782"
        + "7D279D192E88931AF7300727AE9DA80A3F0E366AEBA61778171737989E1EE309"

    private func line(checksum: String = "FDD7139EC7E0C33167FD61AD3CADBD68D66E91C5", more: String = "") -> String {
        #"{"rid": "A000000025", "index": "04", "bits": 768, "exponent": "03", "modulus": "\#(Self.modulus)", "#
            + #""sha1": "\#(checksum)"\#(more)}"# + "\n"
    }

    private func capks(_ arguments: String...) throws -> ProgramResult {
        try Program.run(["emv", "capks"] + arguments, in: scratch)
    }

    @Test func `keys are listed with scheme, length, checksum, expiration, and source`() throws {
        let file = try scratch.write("\n" + line(more: #", "expiry": "2011-12-31""#), to: "keys.jsonl")
        let key = try #require(try capks(file, "--json").list().first)
        #expect(key["rid"] as? String == "A000000025")
        #expect(key["scheme"] as? String == "American Express")
        #expect(key["index"] as? String == "04")
        #expect(key["bits"] as? Int == 768)
        #expect(key["exponent"] as? String == "03")
        #expect(key["checksumOk"] as? Bool == true)
        #expect(key["expires"] as? String == "2011-12-31")
        #expect(key["expired"] as? Bool == true)
        #expect(key["source"] as? String == "\(file):2")
        let table = try capks(file)
        #expect(table.status == 0)
        #expect(table.output.split(separator: "\n").count == 2)
        #expect(table.output.contains("American Express"))
        #expect(table.output.contains("2011-12-31 EXPIRED"))
    }

    @Test func `a key without a checksum is listed as unchecked, and the list goes on`() throws {
        let unchecked = with(index: "05", in: withoutChecksum(line()))
        let file = try scratch.write(unchecked + line(), to: "keys.jsonl")
        let keys = try capks(file, "--json").list()
        #expect(keys.map { $0["index"] as? String } == ["05", "04"])
        #expect(keys.map { $0["checksumOk"] as? Bool } == [nil, true])
        let table = try capks(file)
        #expect(table.status == 0)
        #expect(table.output.contains(" unchecked"))
    }

    private func with(index: String, in line: String) -> String {
        line.replacingOccurrences(of: #""index": "04""#, with: #""index": "\#(index)""#)
    }

    private func withoutChecksum(_ line: String) -> String {
        line.replacingOccurrences(of: #", "sha1": "[0-9A-F]*""#, with: "", options: .regularExpression)
    }

    @Test func `a wrong checksum is marked, the list goes on, and the exit code is 65`() throws {
        let wrong = line(checksum: String(repeating: "00", count: 20))
        let file = try scratch.write(
            with(index: "03", in: withoutChecksum(line())) + wrong + line() + #"{"rid": "A000000025"}"# + "\n",
            to: "keys.jsonl")
        let result = try capks(file, "--json")
        #expect(result.status == 65)
        let keys = try result.list()
        #expect(keys.map { $0["index"] as? String } == ["03", "04", "04", nil])
        #expect(keys.map { $0["checksumOk"] as? Bool } == [nil, false, true, nil])
        let messages = keys.map { ($0["error"] as? [String: Any])?["message"] as? String }
        #expect(messages[0] == nil && messages[2] == nil)
        #expect(messages[1]?.hasPrefix("\(file):2: sha1: the checksum of CA public key") == true, "\(messages)")
        #expect(messages[3] == "\(file):4: the key 'index' is missing", "\(messages)")
        for message in messages.compactMap(\.self) { #expect(result.error.contains(message)) }
        let table = try capks(file)
        #expect(table.status == 65)
        #expect(table.output.split(separator: "\n").count == 5, "\(table.output)")
        #expect(table.output.contains("WRONG") && table.output.contains(" unchecked"), "\(table.output)")
        #expect(try capks(scratch.file("nowhere")).status == 65)
    }

    @Test func `a file that can't be read does not hide the keys of the others`() throws {
        let file = try scratch.write(line(), to: "keys.jsonl")
        let result = try capks(scratch.file("nowhere"), file, "--json")
        #expect(result.status == 65)
        #expect(try result.list().map { $0["index"] as? String } == [nil, "04"])
        #expect(result.error.contains("nowhere"))
    }

    @Test func `a configuration's keys are all listed, also those that a till refuses`() throws {
        _ = try scratch.write(
            line() + with(index: "05", in: withoutChecksum(line())) + with(index: "06", in: line()), to: "keys.jsonl")
        let till = try scratch.write("capks: [keys.jsonl, nowhere.jsonl]\n", to: "till.yaml")
        let result = try capks("--config", till, "--json")
        #expect(result.status == 65)
        let keys = try result.list()
        #expect(keys.map { $0["index"] as? String } == ["04", "05", "06", nil])
        #expect(keys.map { $0["checksumOk"] as? Bool } == [true, nil, false, nil])
        #expect(keys.map { $0["error"] is NSNull } == [true, false, false, false])
        #expect(result.error.split(separator: "\n").count { $0.hasPrefix("cardpresent: ") } == 3, "\(result.error)")
        // The till itself takes none of them.
        let check = try Program.run(["config", "check", "--config", till], in: scratch)
        #expect(check.status != 0)
    }

    @Test func `without a file the configuration's keys are listed`() throws {
        _ = try scratch.write(line(), to: "keys.jsonl")
        let till = try scratch.write("capks: [keys.jsonl]\n", to: "till.yaml")
        #expect(try capks("--config", till, "--json").list().count == 1)
        let none = try capks("--json")
        #expect(try none.list().isEmpty)
        #expect(none.status == 0)
        let bad = try scratch.write("capks: [nowhere.jsonl]\n", to: "bad.yaml")
        #expect(try capks("--config", bad).status == 65)
    }
}
