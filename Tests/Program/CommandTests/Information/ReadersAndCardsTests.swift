import Foundation
import Testing

@Suite("Readers, cards, and configuration")
struct ReadersAndCardsTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func run(_ arguments: String...) throws -> ProgramResult { try Program.run(arguments, in: scratch) }

    @Test func `readers list shows the readers, or that there are none`() throws {
        let told = try run("readers", "list", "--json")
        #expect(told.status == 0)
        let readers = try told.list()
        let shown = try run("readers", "list")
        #expect(shown.status == 0)
        #expect(shown.error.contains("No card reader found.") == readers.isEmpty)
        #expect(shown.output.split(separator: "\n").count == (readers.isEmpty ? 0 : readers.count + 1))
        if readers.isEmpty { #expect(told.output == "[]\n") }
    }

    @Test func `simulated readers are listed`() throws {
        #expect(
            try run("readers", "list", "--simulated").output == """
                ID                  NAME                                             PROPERTIES
                1209:0001@1-1       Simulated TPDU reader                            TPDU, 1 slot
                1209:0002@1-2       Simulated short APDU reader                      short APDU, 1 slot
                1209:0003@1-3       Simulated extended APDU reader                   extended APDU, 1 slot
                1209:0004@1-4       Simulated reader with battery                    short APDU, 1 slot
                1209:0005@1-5       Simulated reader with PIN pad                    short APDU, 1 slot, PIN pad
                1209:0006@1-6       Simulated T=0 reader                             TPDU, 1 slot
                1209:0007@1-7       Simulated reader with two slots                  TPDU, 2 slots
                1209:0008@1-8       Simulated contactless reader                     short APDU, 1 slot, contactless
                1209:0009@1-9       Simulated dual interface reader                  short APDU, 1 slot, contactless
                1209:0009@1-9#1     Simulated dual interface reader #1               short APDU, 1 slot, contactless
                1209:000a@1-10      Simulated chip and magnetic stripe reader        TPDU, 1 slot, magnetic stripe
                1209:000d/UPD00001  Simulated updatable reader                       short APDU, 1 slot
                1209:000b@1-12      Simulated magnetic stripe reader                 reports, magnetic stripe
                0801:0002@1-13      Simulated magnetic stripe reader (fixed report)  reports, magnetic stripe
                0801:0001@1-14      Simulated magnetic stripe reader (keyboard)      keyboard, magnetic stripe
                0801:0002@1-15      Simulated magnetic stripe reader (encrypting)    reports, magnetic stripe

                """)
        #expect(
            try run("readers", "info", "--simulated").output == """
                Simulated TPDU reader
                  id            1209:0001@1-1
                  manufacturer  CardPresent
                  USB           1209:0001
                  place         bus 1 device 1, port 1-1
                  firmware      1.00
                  level         TPDU
                  slots         1
                  inputs        insert
                  card          absent

                """)
        #expect(try run("readers", "info", "1209:0005@1-5", "--simulated").output.contains("PIN pad       yes"))
        let told = try run("readers", "info", "1209:0003@1-3", "--simulated", "--json").object()
        #expect(told["card"] as? String == "absent")
        #expect((told["reader"] as? [String: Any])?["id"] as? String == "1209:0003@1-3")
        #expect((told["reader"] as? [String: Any])?["hasPINPad"] as? Bool == false)
    }

    @Test func `readers info names the inputs of contactless readers`() throws {
        #expect(try run("readers", "info", "1209:0008@1-8", "--simulated").output.contains("inputs        tap\n"))
        let both = try run("readers", "info", "1209:0009@1-9", "--simulated", "--json").object()
        #expect((both["reader"] as? [String: Any])?["inputs"] as? [String] == ["insert", "tap"])
    }

    @Test func `readers info tells what a contactless slot can do`() throws {
        #expect(
            try run("readers", "info", "1209:0009@1-9", "--simulated").output.contains(
                """
                  inputs        insert, tap
                  contactless   slot 1
                  field         switched by the till
                  two cards     reported
                  lights        the reader's own

                """))
        let told = try run("readers", "info", "1209:0008@1-8", "--simulated", "--json").object()
        let slot = try #require(told["contactless"] as? [String: Any])
        #expect(slot["slot"] as? Int == 0 && slot["field"] as? String == "command")
        #expect(slot["tellsCollisions"] as? Bool == true && slot["indicators"] is NSNull)
        let chip = try run("readers", "info", "1209:0001@1-1", "--simulated", "--json").object()
        #expect(chip["contactless"] == nil)
    }

    @Test func `readers are listed and opened according to the configuration`() throws {
        func run(_ stripes: String, _ arguments: String...) throws -> ProgramResult {
            let file = try scratch.write("terminal: { magstripe: \(stripes) }\n", to: "stripes.yaml")
            return try Program.run(["readers"] + arguments + ["--simulated", "--config", file], in: scratch)
        }
        let without = try run("{ enabled: false }", "list").output
        #expect(without.contains("1209:000a@1-10      Simulated chip and magnetic stripe reader  TPDU, 1 slot\n"))
        #expect(!without.contains("reports") && !without.contains("keyboard"))
        #expect(try run("{ enabled: false }", "info", "0801:0001@1-14").status == 5)
        #expect(try run("{}", "info", "0801:0001@1-14").status == 0)
        // A reader that types is not read through hidraw, and the simulated ones have no node.
        let typing = try run("{ path: hidraw }", "info", "0801:0001@1-14")
        #expect(typing.status == 5 && typing.error.contains("path: usb"))
    }

    @Test func `readers watch ends without an error when its output is closed`() throws {
        for options in [[], ["--json"]] {
            let result = try Program.run(
                shell: #"timeout 50 "$0" "$@" < /dev/null | head -1; exit ${PIPESTATUS[0]}"#,
                ["readers", "watch", "--simulated"] + options, in: scratch)
            #expect(result.status == 0)
            #expect(result.output.contains("1209:0001@1-1"))
        }
    }

    @Test func `readers quirks lists the table and then the configuration's rows, and marks plugged-in readers`() throws
    {
        let configuration = try scratch.write(
            "readers: { quirks: [{ reader: 1209:0001, name: The simulated one, firstAnswer: 7000, noPINPad: false }] }",
            to: "till.yaml")
        let told = try run("readers", "quirks", "--simulated", "--config", configuration)
        #expect(told.status == 0)
        #expect(
            told.output.contains(
                """
                  04e6:e001  SCM SCR 331, firmware below 5.16
                      refusedFirmware       not used: update it to 5.16 or later, or use another reader
                      source                libccid 1.8.4 src/ccid_usb.c (Bogus_firmwares)

                """))
        #expect(
            told.output.hasSuffix(
                """
                * 1209:0001  The simulated one, firmware all
                      firstAnswer           waits up to 7 s for the first answer
                      noPINPad              removed
                      source                the till's configuration

                """))
        let table = try run("readers", "quirks", "--simulated", "--config", configuration, "--json").object()
        let rows = try #require(table["rows"] as? [[String: Any]])
        #expect(rows.filter { $0["isPlugged"] as? Bool == true }.count == 1)
        #expect(rows.allSatisfy { ($0["source"] as? String)?.isEmpty == false })
        let info = try run("readers", "info", "1209:0001@1-1", "--simulated", "--config", configuration)
        #expect(info.output.contains("  quirk         waits up to 7 s for the first answer\n"))
        let plain = try run("readers", "info", "--simulated", "--json").object()
        #expect((plain["quirks"] as? [Any])?.isEmpty == true)
    }

    @Test func `a missing reader is reported with the available ones`() throws {
        let result = try run("readers", "info", "1209:0001@1-99", "--simulated", "--json")
        #expect(result.status == 5)
        let error = try #require(try result.object()["error"] as? [String: String])
        #expect(error["code"] == "reader_not_found")
        #expect(error["fix"]?.contains("did you mean '1209:0001@1-1'?") == true)
    }

    @Test func `cards list shows every profile with its description`() throws {
        let table = try run("cards", "list").output.split(separator: "\n")
        #expect(table.first?.split(separator: " ") == ["NAME", "DESCRIPTION"])
        let lines = table.dropFirst()
        #expect(lines.count >= 25)
        #expect(lines.first?.hasPrefix("visa-credit ") == true)
        #expect(
            lines.first?.hasSuffix(" Visa credit card, approved online with a signature or no verification at all")
                == true)
        let told = try run("cards", "list", "--json").list()
        #expect(told.count == lines.count)
        #expect(zip(told, lines).allSatisfy { $1.hasPrefix($0["name"] as? String ?? "?") })
    }

    @Test func `cards list names the interfaces of each card`() throws {
        let told = try run("cards", "list", "--json").list()
        func interfaces(_ name: String) -> [String]? {
            told.first { $0["name"] as? String == name }?["interfaces"] as? [String]
        }
        #expect(interfaces("k8-credit") == ["contact", "contactless"])
        #expect(interfaces("visa-credit") == ["contact"])
        #expect(interfaces("stripe-only") == [])
        #expect(told.count { ($0["name"] as? String)?.hasPrefix("k8-") == true } == 42)
    }

    @Test func `cards show prints a card as JSON`() throws {
        #expect(
            try run("cards", "show", "visa-credit", "--json").output == """
                {
                  "answerToReset" : "3B600000",
                  "applications" : [
                    {
                      "accountReference" : "669cf46151b7dd09",
                      "aid" : "A0000000031010",
                      "cryptogram" : "cvn18",
                      "currency" : "USD",
                      "cvm" : [
                        "signature",
                        "none"
                      ],
                      "label" : "VISA CREDIT",
                      "last4" : "0010"
                    }
                  ],
                  "description" : "Visa credit card, approved online with a signature or no verification at all",
                  "interfaces" : [
                    "contact"
                  ],
                  "name" : "visa-credit"
                }

                """)
        #expect(try run("cards", "show", "mute").output.contains("none: the card is mute"))
        #expect(try run("cards", "show", "nobody", "--json").status == 64)
    }

    @Test func `the printed configuration can be read again with the same result`() throws {
        let shown = try run("config", "show")
        #expect(shown.status == 0)
        let file = try scratch.write(shown.output, to: "shown.yaml")
        #expect(try run("config", "check", file).status == 0)
        #expect(try run("config", "show", "--config", file).output == shown.output)
        let told = try run("config", "show", "--config", file, "--json").object()
        #expect(told["file"] as? String == file)
        let settings = try #require(told["configuration"] as? [String: Any])
        #expect(settings["currency"] as? String == "USD")
        let terminal = try #require(settings["terminal"] as? [String: Any])
        #expect(terminal["type"] as? String == "22", "hexadecimal data stays a text")
        #expect((terminal["pin"] as? [String: Any])?["tries"] as? Int == 3)
        #expect(terminal["applicationChoice"] is Bool)
        let applications = try #require(settings["applications"] as? [[String: Any]])
        #expect(applications.first?["aid"] as? String == "A0000000031010")
        #expect(applications.first?["floorLimit"] as? String == "0.00")
        #expect((settings["receipt"] as? [String: Any])?["width"] as? Int == 40)
    }

    @Test func `the configuration in the XDG folder is used, and an invalid one is an error`() throws {
        try FileManager.default.createDirectory(
            atPath: scratch.file(".config/cardpresent"), withIntermediateDirectories: true)
        _ = try scratch.write("currency: EUR\n", to: ".config/cardpresent/cardpresent.yaml")
        #expect(try run("pay", "5", "--database", scratch.database).output.hasPrefix("APPROVED  5.00 EUR"))
        _ = try scratch.write("currency: euro\n", to: ".config/cardpresent/cardpresent.yaml")
        #expect(try run("pay", "5", "--database", scratch.database).status == 78)
        #expect(try run("config", "check", scratch.file(".config/cardpresent/cardpresent.yaml"), "--json").status == 78)
    }
}
