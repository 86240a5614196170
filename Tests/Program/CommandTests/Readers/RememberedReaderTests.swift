import Foundation
import Glibc
import Testing

@Suite("Remembered readers")
struct RememberedReaderTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func run(_ arguments: String...) throws -> ProgramResult {
        try Program.run(arguments + ["--database", scratch.database], in: scratch)
    }

    @Test func `a reader is remembered, marked, listed, and forgotten`() throws {
        #expect(try !run("readers", "list", "--simulated").output.contains("remembered"))
        // Looking makes no records.
        #expect(try scratch.everything().isEmpty)

        let remembered = try run("readers", "remember", "1209:0003@1-3", "--simulated", "--json")
        #expect(remembered.status == 0)
        let record = try remembered.object()
        #expect(record["id"] as? String == "1209:0003@1-3")
        #expect(record["name"] as? String == "Simulated extended APDU reader")
        #expect((record["usedAt"] as? String)?.hasSuffix("Z") == true)

        let lines = try run("readers", "list", "--simulated").output.split(separator: "\n").dropFirst()
        let marked = try #require(lines.first { $0.hasSuffix("  extended APDU, 1 slot, remembered") })
        #expect(marked.hasPrefix("1209:0003@1-3       Simulated extended APDU reader  "))
        #expect(lines.filter { $0.contains("remembered") } == [marked])
        let listed = try run("readers", "list", "--simulated", "--json").list()
        #expect(listed.count == lines.count)
        #expect(
            listed.filter { $0["isRemembered"] as? Bool == true }.compactMap { $0["id"] as? String }
                == ["1209:0003@1-3"])
        #expect(listed.allSatisfy { $0["exchangeLevel"] is String })

        #expect(try run("readers", "remember", "1209:0001@1-1", "--simulated").status == 0)
        // It is known by now, and need not be there.
        #expect(try run("readers", "remember", "1209:0003@1-3").status == 0)
        let known = try run("readers", "list", "--remembered", "--json").list()
        #expect(known.compactMap { $0["id"] as? String } == ["1209:0003@1-3", "1209:0001@1-1"])
        let people = try run("readers", "list", "--remembered").output.split(separator: "\n")
        #expect(people[0].hasPrefix("ID             NAME "))
        #expect(people[1].hasPrefix("1209:0003@1-3  Simulated ext"))

        #expect(try run("readers", "forget", "1209:0003@1-3").output == "forgot 1\n")
        #expect(try run("readers", "list", "--remembered", "--json").list().count == 1)
        #expect(try run("readers", "forget", "--all", "--json").object()["forgotten"] as? Int == 1)
        #expect(try run("readers", "forget", "--all").output == "forgot 0\n")
        #expect(try run("readers", "list", "--remembered", "--json").output == "[]\n")
    }

    @Test func `a missing or unknown reader is reported with the known ones`() throws {
        let absent = try run("readers", "remember", "1209:0003@1-33", "--simulated", "--json")
        #expect(absent.status == 5)
        #expect((try absent.object()["error"] as? [String: String])?["code"] == "reader_not_found")
        #expect(try run("readers", "remember", "1209:0003@1-3", "--simulated").status == 0)
        let unknown = try run("readers", "forget", "1209:0003@1-4", "--json")
        #expect(unknown.status == 64)
        let error = try #require(try unknown.object()["error"] as? [String: String])
        #expect(error["code"] == "reader_not_remembered")
        #expect(error["fix"]?.contains("did you mean '1209:0003@1-3'?") == true)
        #expect(try run("readers", "forget").status == 64)
        #expect(try run("readers", "forget", "1209:0003@1-3", "--all").status == 64)
        #expect(try run("readers", "list", "--remembered", "--json").list().count == 1)
    }

    @Test func `readers are listed even if the records cannot be read`() throws {
        _ = try scratch.write("no database", to: "till.sqlite")
        let listed = try run("readers", "list", "--simulated", "--json")
        #expect(listed.status == 0)
        #expect(try listed.list().contains { $0["isRemembered"] as? Bool == true } == false)
        #expect(listed.error.contains("cannot read the remembered readers"))
        #expect(try run("readers", "remember", "1209:0003@1-3", "--simulated").status == 65)
        #expect(try scratch.text("till.sqlite") == "no database")
    }

    @Test func `a payment at a simulated reader does not remember the reader`() throws {
        #expect(try run("pay", "5").status == 0)
        #expect(try run("readers", "list", "--remembered", "--json").output == "[]\n")
    }

    // MARK: Watching a connection

    private func changes(_ output: String) throws -> [[String: Any]] {
        try output.split(separator: "\n").map { line in
            try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    @Test(arguments: [[], ["--reader", "1209:0005@1-5"]])
    func `the named reader is connected, or else the last used one`(options: [String]) throws {
        #expect(try run("readers", "remember", "1209:0003@1-3", "--simulated").status == 0)
        let child = try Child(
            ["readers", "watch", "--connect", "--simulated", "--json", "--database", scratch.database] + options,
            in: scratch)
        #expect(child.wait { child.output.contains(#"{"change":"idle"}"#) && child.output.hasSuffix("\n") })
        child.send(SIGINT)
        let result = try child.result()
        #expect(result.status == 0)
        #expect(result.error == "")
        let connected = try changes(result.output).filter { $0["change"] as? String == "connected" }
        #expect(
            connected.compactMap { ($0["reader"] as? [String: Any])?["id"] as? String }
                == [options.last ?? "1209:0003@1-3"])
        // Simulated readers are in the records only if a test adds them.
        #expect(try run("readers", "list", "--remembered", "--json").list().count == 1)
    }

    @Test func `the program waits for a missing reader until it is ended`() throws {
        let child = try Child(
            ["readers", "watch", "--connect", "--reader", "08e6:3437@9-9", "--simulated"], in: scratch)
        #expect(child.wait { child.output.contains("1209:0004") })
        child.send(SIGTERM)
        let result = try child.result()
        #expect(result.status == 0)
        #expect(!result.output.contains("connected"))
        #expect(try run("readers", "watch", "--reader", "08e6:3437@9-9").status == 64)
    }
}
