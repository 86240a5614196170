import Foundation
import Testing

/// Cards that are not to be taken, and split sales, with the program as a shop runs it.
@Suite("exceptions")
struct ExceptionsTests {
    private let scratch: Scratch
    private static let card = "5413330089010020"

    init() throws { scratch = try Scratch() }

    private func exceptions(_ arguments: String..., input: String = "") throws -> ProgramResult {
        try Program.run(["exceptions"] + arguments + ["--database", scratch.database], in: scratch, input: input)
    }

    private func pay(_ amount: String, online: String = "0000000000") throws -> [String: Any] {
        let file = try scratch.write(
            """
            applications:
              - aid: A0000000041010
                floorLimit: 50.00
                actionCodes: { denial: 1000000000, online: \(online), default: 0000000000 }
            """, to: "till.yaml")
        return try Program.run(
            ["pay", amount, "--card", "offline-approve", "--json", "--config", file, "--database", scratch.database],
            in: scratch
        ).object()
    }

    private func tvr(_ result: [String: Any]) -> String? { (result["emv"] as? [String: Any])?["tvr"] as? String }

    @Test func `a card on the exception list is declined until it is removed from the list`() throws {
        let added = try exceptions("add", "--reason", "stolen", "--json", input: "5413 3300 8901 0020\n")
        #expect(added.status == 0)
        #expect((try added.object()["added"] as? [[String: Any]])?.first?["lastFour"] as? String == "0020")
        let listed = try exceptions("list", "--json").list()
        #expect(listed.map { $0["reason"] as? String } == ["stolen"])
        let declined = try pay("10.00")
        #expect(declined["outcome"] as? String == "declined")
        #expect(tvr(declined) == "9000000000")
        #expect(try exceptions("remove", "1").output == "1 removed\n")
        #expect(try pay("10.00")["outcome"] as? String == "approved")
        #expect(try exceptions("list").output == "")
    }

    @Test func `a list of the acquirer is loaded and unloaded as a whole`() throws {
        let list = "# hot cards\n\n4761739001010010\r\n 4761-7390-0101-0028\n5413330089010020"
        #expect(try exceptions("add", input: list).output.hasSuffix("3 added\n"))
        #expect(try exceptions("add", input: list).output.hasSuffix("0 added, 3 already present\n"))
        #expect(try exceptions("remove", input: "4761739001010010\n").output == "1 removed\n")
        #expect(try exceptions("list", "--json").list().count == 2)
        #expect(try exceptions("remove", "--all", "--json").object()["removed"] as? Int == 2)
    }

    @Test(arguments: ["4761739001010011", "476173900101001O", "1234567", "47617390010100104761", "4761739001010010 1"])
    func `an invalid card number is rejected with its line and not repeated`(text: String) throws {
        let result = try exceptions("add", "--json", input: "4761739001010010\n\(text)\n")
        #expect(result.status == 65)
        let error = try #require(try result.object()["error"] as? [String: Any])
        #expect(error["code"] as? String == "invalid_card_number")
        #expect((error["message"] as? String)?.hasPrefix("line 2 is not a card number: ") == true)
        #expect(!(result.output + result.error).contains(text.prefix(7)))
        #expect(try exceptions("list", "--json").list().isEmpty)
    }

    @Test func `an empty input, an unknown entry and a wrong option are usage errors`() throws {
        #expect(try exceptions("add", input: "").status == 64)
        #expect(try exceptions("remove", "7").status == 64)
        #expect(try exceptions("remove", "1", "--all").status == 64)
        #expect(try exceptions("add", "--sequence-number", "100", input: Self.card).status == 64)
    }

    @Test func `no card number is in any file or output`() throws {
        var spoken = ""
        for result in [
            try exceptions("add", input: Self.card + "\n"), try exceptions("list"), try exceptions("list", "--json"),
        ] { spoken += result.output + result.error }
        _ = try pay("30.00", online: "1000000000")
        let packed = stride(from: 0, to: Self.card.count, by: 2).map { offset -> UInt8 in
            let digits = Self.card.dropFirst(offset).prefix(2)
            return UInt8(digits, radix: 16) ?? 0
        }
        let files = try scratch.everything()
        #expect(files.contains { $0.name == "till.sqlite.card-key" })
        for secret in [Data(Self.card.utf8), Data(Self.card.utf8.prefix(12)), Data(packed)] {
            #expect(Data(spoken.utf8).range(of: secret) == nil)
            for file in files { #expect(file.bytes.range(of: secret) == nil, "\(file.name)") }
        }
    }

    @Test func `a second sale whose total exceeds the floor limit goes online`() throws {
        let first = try pay("30.00", online: "0000008000")
        #expect(tvr(first) == "8000000000")
        let second = try pay("30.00", online: "0000008000")
        #expect(tvr(second) == "8000008000")
        #expect(second["outcome"] as? String == "approved")
    }

    @Test func `payments stop when the key is missing, and continue when the list is discarded`() throws {
        #expect(try exceptions("add", input: Self.card).status == 0)
        try FileManager.default.removeItem(atPath: scratch.database + ".card-key")
        let error = try #require(try pay("10.00")["error"] as? [String: Any])
        #expect(error["code"] as? String == "card_key")
        #expect((error["fix"] as? String)?.contains("exceptions remove --all") == true)
        #expect(try Program.run(["payments", "list", "--database", scratch.database], in: scratch).status == 0)
        #expect(try exceptions("remove", "--all").status == 0)
        #expect(try pay("10.00")["outcome"] as? String == "approved")
    }
}
