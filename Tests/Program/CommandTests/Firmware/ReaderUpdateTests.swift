import Foundation
import Testing

/// `readers update` and `simulate firmware`
@Suite("Readers' firmware")
struct ReaderUpdateTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func run(_ arguments: String...) throws -> ProgramResult { try Program.run(arguments, in: scratch) }

    /// A configuration that offers firmware to the simulated updatable reader.
    private func configuration(_ more: String = "", version: String = "2.34") throws -> String {
        let written = try run("simulate", "firmware", scratch.file("reader.dfu"), "--release", version)
        #expect(written.status == 0)
        return try scratch.write(
            """
            readers:
              firmware:
                - reader: 1209:000d
                  updateMode: 1209:000e
                  version: \(version)
                  file: reader.dfu
                  \(more)
            """, to: "till.yaml")
    }

    private func error(_ result: ProgramResult) throws -> [String: Any] {
        try #require(try result.object()["error"] as? [String: Any])
    }

    @Test func `simulate firmware writes a file that dfu-suffix accepts`() throws {
        let path = scratch.file("reader.dfu")
        let told = try run("simulate", "firmware", path, "--release", "2.34")
        #expect(told.status == 0)
        #expect(told.output == "\(path): firmware 2.34 for 1209:000d, 20034 bytes\n")
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        #expect(bytes.count == 20_034)
        // bcdDevice, idProduct, idVendor, bcdDFU, UFD and the suffix's length (DFU 1.1 appendix B)
        let suffix: [UInt8] = [0x34, 0x02, 0x0D, 0x00, 0x09, 0x12, 0x00, 0x01, 0x55, 0x46, 0x44, 0x10]
        #expect(Array(bytes.suffix(16).prefix(12)) == suffix)
        let shown = try run("simulate", "firmware", path, "--release", "2.34", "--json").object()
        #expect(shown["file"] as? String == path && shown["bytes"] as? Int == 20_034)
        #expect(shown["reader"] as? String == "1209:000d" && shown["updateMode"] as? String == "1209:000e")
        #expect(shown["version"] as? String == "2.34")
        #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) == bytes, "the same again")
    }

    @Test func `simulate firmware rejects an invalid release and an invalid path`() throws {
        let release = try run("simulate", "firmware", scratch.file("x"), "--release", "2.3.4")
        #expect(release.status == 64 && release.error.contains("'2.3.4' is not a version such as 2.34"))
        #expect(try run("simulate", "firmware", scratch.file("x")).status == 64)
        let place = try run("simulate", "firmware", scratch.file("no/x.dfu"), "--release", "2.34", "--json")
        #expect(place.status == 69)
        #expect(try error(place)["code"] as? String == "file_not_written")
        #expect(!FileManager.default.fileExists(atPath: scratch.file("x")))
    }

    @Test func `readers update --check reports the available update and changes nothing`() throws {
        let told = try run("readers", "update", "--check", "--simulated", "--config", configuration())
        #expect(told.status == 0 && told.error == "")
        #expect(
            told.output == "1209:000d/UPD00001  Simulated updatable reader  1.00, 2.34 is available\n")
        let shown = try run(
            "readers", "update", "--check", "--simulated", "--json", "--config",
            configuration("requiredFrom: 2026-12-01")
        ).object()
        #expect(shown["outcome"] as? String == "available")
        let reader = try #require(shown["reader"] as? [String: Any])
        #expect(reader["id"] as? String == "1209:000d/UPD00001" && reader["softwareVersion"] as? String == "1.00")
        #expect(reader["isAwaitingFirmware"] as? Bool == false)
        let update = try #require(shown["update"] as? [String: Any])
        #expect(update["version"] as? String == "2.34" && update["need"] as? String == "requiredFrom")
        #expect(update["requiredFrom"] as? String == "2026-12-01")
        #expect(update["estimate"] as? String == "lessThanOneMinute")
    }

    @Test(arguments: [
        ("required: true", "2.34 is available, required"), ("required: false", "2.34 is available"),
        ("requiredFrom: 2026-12-01", "2.34 is available, required from 2026-12-01"),
    ]) func `a required update is reported`(setting: String, text: String) throws {
        let told = try run("readers", "update", "--check", "--simulated", "--config", configuration(setting))
        #expect(told.output.hasSuffix(text + "\n"))
    }

    @Test func `readers update installs the update`() throws {
        let told = try run("readers", "update", "--simulated", "--config", configuration())
        #expect(told.status == 0)
        #expect(told.output == "1209:000d/UPD00001  Simulated updatable reader  2.34, updated\n")
        // Without a terminal there is no progress output.
        #expect(
            told.error
                == "cardpresent: updating Simulated updatable reader to firmware 2.34, which takes less than a minute\n"
        )
        let shown = try run(
            "readers", "update", "1209:000d/UPD00001", "--simulated", "--json", "--config", configuration()
        ).object()
        #expect(shown["outcome"] as? String == "updated")
        #expect((shown["reader"] as? [String: Any])?["softwareVersion"] as? String == "2.34")
        #expect((shown["update"] as? [String: Any])?["need"] as? String == "optional")
    }

    @Test func `a payment installs a required update first, and is approved`() throws {
        let paid = try run(
            "pay", "12.50", "--reader", "simulated:updatable", "--card", "visa-credit", "--json", "--database",
            scratch.database, "--config", configuration("required: true"))
        #expect(paid.status == 0)
        #expect(try paid.object()["outcome"] as? String == "approved")
        // Without its file there is no payment.
        try FileManager.default.removeItem(atPath: scratch.file("reader.dfu"))
        let refused = try run(
            "pay", "12.50", "--reader", "simulated:updatable", "--card", "visa-credit", "--json", "--database",
            scratch.database, "--config", scratch.file("till.yaml"))
        #expect(refused.status == 65)
        #expect(try error(refused)["code"] as? String == "firmware_unusable")
    }

    @Test func `without newer firmware the command says so and succeeds`() throws {
        for configuration in [nil, try configuration(version: "1.00")] {
            var arguments = ["readers", "update", "1209:000d/UPD00001", "--simulated"]
            if let configuration { arguments += ["--config", configuration] }
            let told = try Program.run(arguments, in: scratch)
            #expect(told.status == 0)
            #expect(told.output == "1209:000d/UPD00001  Simulated updatable reader  1.00, up to date\n")
            let shown = try Program.run(arguments + ["--json"], in: scratch).object()
            #expect(shown["outcome"] as? String == "none" && shown["update"] is NSNull)
        }
        // A reader that takes none.
        let other = try run("readers", "update", "1209:0001@1-1", "--simulated", "--config", configuration())
        #expect(other.output == "1209:0001@1-1  Simulated TPDU reader  1.00, up to date\n")
    }

    @Test func `an unusable file is reported with the problem`() throws {
        let till = try configuration()
        _ = try scratch.write("no firmware", to: "reader.dfu")
        let damaged = try run("readers", "update", "--simulated", "--json", "--config", till)
        #expect(damaged.status == 65)
        #expect(try error(damaged)["code"] as? String == "firmware_unusable")
        let message = try #require(try error(damaged)["message"] as? String)
        #expect(message.contains(scratch.file("reader.dfu")) && message.contains("this one has 11"))
        try FileManager.default.removeItem(atPath: scratch.file("reader.dfu"))
        let missing = try run("readers", "update", "--simulated", "--config", till)
        #expect(missing.status == 65 && missing.output == "")
        #expect(missing.error.contains(": No such file or directory"))
    }

    @Test func `a missing reader, and pcscd, are rejected`() throws {
        let unknown = try run("readers", "update", "1209:000d/UPD00002", "--simulated", "--json")
        #expect(unknown.status == 5)
        #expect(try error(unknown)["code"] as? String == "reader_not_found")
        let message = try #require(try error(unknown)["fix"] as? String)
        #expect(message.hasPrefix("did you mean '1209:000d/UPD00001'?"))
        let shared = try run("readers", "update", "--pcsc")
        #expect(shared.status == 64 && shared.error.contains("pcscd does not support firmware updates"))
    }

    @Test func `an invalid row is rejected with its line`() throws {
        let till = try scratch.write(
            "readers:\n  firmware:\n    - { reader: 1209:000d, version: two, file: x }\n", to: "till.yaml")
        let told = try run("readers", "update", "--check", "--simulated", "--config", till)
        #expect(told.status == 78)
        #expect(told.error.contains("till.yaml:3: readers.firmware[0].version: not a firmware release"))
    }
}
