import CCID
import Determinism
import Foundation
import Hardware
import Settings
import Testing
import TillConfiguration
import USB

/// The folder of the documentation, whose examples are tested.
private let documentation = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../../docs").standardized

/// The section `readers` of a till's configuration.
@Suite struct ReaderSettingsTests {
    private let device = USBDeviceDescriptor(vendorID: 0x1209, productID: 0x0010, release: 0x0105)

    private func table(_ yaml: String) throws(SettingsError) -> ReaderQuirkTable {
        try TillConfiguration(yaml: yaml, file: "till.yaml").readerQuirks
    }

    @Test func `without the section the driver's built-in table is used`() throws {
        #expect(TillConfiguration.standard.readerQuirks == .embedded)
        #expect(try table("currency: USD") == .embedded)
        #expect(try table("readers: { quirks: [] }") == .embedded)
        #expect(try table("readers: { allowRefusedFirmware: true }").allowsRefusedFirmware)
    }

    @Test func `the complete example uses every key of a row`() throws {
        let path = documentation.appending(path: "examples/till.yaml").path
        let rule = try #require(try TillConfiguration.load(path: path).readerQuirks.rules.last)
        #expect(rule.usbID == "1209:0010" && rule.firmwareText == "1.00 to 1.12")
        #expect(rule.name == "Reader at the door" && rule.source == "seen at the till")
        #expect(
            rule.quirks == [
                .startPause(.milliseconds(500)), .firstAnswer(.seconds(8)), .noPINPad, .pinMessages(1),
                .exchangeLevel(.shortAPDU), .maximumDataRate(43_010), .noProtocolSelection, .informationFieldSize(48),
                .noIFSDNegotiation, .messageLength(271), .slotCount(1), .polled, .noAbort, .oneInterfaceAtATime,
                .vendorSpecificClass, .noAutosuspend,
            ])
        #expect(rule.lifted == [.refusedFirmware, .swappedPINDigits])
        #expect(Set(rule.quirks.map(\.kind)).union(rule.lifted) == Set(ReaderQuirk.Kind.allCases))
    }

    @Test func `a row of the configuration overrides the built-in table, and can remove a quirk`() throws {
        // The HP keyboard, whose keys the driver's table does not trust.
        let keyboard = USBDeviceDescriptor(vendorID: 0x03F0, productID: 0x1024, release: 0x0100)
        #expect(ReaderQuirkTable.embedded.quirks(of: keyboard).all == [.noPINPad])
        let rows = "readers: { quirks: [{ reader: 03f0:1024, noPINPad: false, firstAnswer: 7000 }] }"
        #expect(try table(rows).quirks(of: keyboard).all == [.firstAnswer(.seconds(7))])
    }

    @Test func `a row applies only to its firmware`() throws {
        let rows = try table("readers: { quirks: [{ reader: 1209:0010, firmware: 1.05, polled: true }] }")
        #expect(rows.quirks(of: device).all == [.polled])
        var other = device
        other.release = 0x0106
        #expect(rows.quirks(of: other) == .none)
    }

    // MARK: Firmware

    private func firmware(_ rows: String, file: String = "till.yaml") throws(SettingsError) -> [ReaderFirmware] {
        try TillConfiguration(yaml: "readers: { firmware: \(rows) }", file: file).readerFirmware.rows
    }

    @Test func `without rows there is no firmware`() throws {
        #expect(TillConfiguration.standard.readerFirmware.rows == [])
        #expect(try firmware("[]") == [])
    }

    @Test func `a row names the reader of a file, and whether the update is optional`() throws {
        var row = ReaderFirmware(
            vendorID: 0x1209, productID: 0x000D, updateVendorID: 0x1209, updateProductID: 0x000D,
            release: ReaderRelease(rawValue: 0x0234), file: "/srv/r.dfu")
        let start = "reader: 1209:000d, version: 2.34, file: /srv/r.dfu"
        #expect(try firmware("[{ \(start) }]") == [row])
        #expect(try firmware("[{ \(start), required: false }]") == [row])
        row.need = .required
        #expect(try firmware("[{ \(start), required: true }]") == [row])
        (row.updateVendorID, row.updateProductID) = (0x0483, 0xDF11)
        row.need = .requiredFrom(CivilDate(year: 2028, month: 2, day: 29))
        #expect(try firmware("[{ \(start), updateMode: 0483:df11, requiredFrom: 2028-02-29 }]") == [row])
        let till = try TillConfiguration(
            yaml: "readers: { firmware: [{ \(start), requiredFrom: 2028-02-29 }] }", file: "till.yaml")
        #expect(try TillConfiguration(yaml: till.yaml, file: "printed.yaml").readerFirmware == till.readerFirmware)
    }

    @Test func `a relative path starts at the folder of the configuration`() throws {
        let row = "[{ reader: 1209:000d, version: 2.34, file: firmware/r.dfu }]"
        #expect(
            try firmware(row, file: "/etc/cardpresent/till.yaml").map(\.file) == ["/etc/cardpresent/firmware/r.dfu"])
        #expect(try firmware(row).map(\.file) == ["firmware/r.dfu"])
    }

    @Test func `the complete example uses every key of firmware`() throws {
        let path = documentation.appending(path: "examples/till.yaml").path
        let row = try #require(try TillConfiguration.load(path: path).readerFirmware.rows.first)
        #expect((row.vendorID, row.productID) == (0x1209, 0x000D))
        #expect((row.updateVendorID, row.updateProductID) == (0x1209, 0x000E))
        #expect(row.release == ReaderRelease(rawValue: 0x0234))
        #expect(row.file == documentation.appending(path: "examples/reader-2.34.dfu").path)
        #expect(row.need == .requiredFrom(CivilDate(year: 2026, month: 12, day: 1)))
    }

    // MARK: Faults

    static let faults: [(yaml: String, error: String)] = [
        ("readers: { firmware: x }", "1: readers.firmware: expected a list, found text"),
        (
            "readers: { firmware: [{ version: 2.34, file: r.dfu }] }",
            "1: readers.firmware[0]: the key 'reader' is missing"
        ),
        (
            "readers: { firmware: [{ reader: 1209:000d, file: r.dfu }] }",
            "1: readers.firmware[0]: the key 'version' is missing"
        ),
        (
            "readers: { firmware: [{ reader: 1209:000d, version: 2.34 }] }",
            "1: readers.firmware[0]: the key 'file' is missing"
        ),
        (
            "readers: { firmware: [{ reader: 1209:000d, version: 2.34, file: r.dfu, must: true }] }",
            "1: readers.firmware[0]: unknown key 'must'; use one of reader, version, file, updateMode, required, "
                + "requiredFrom"
        ),
        (
            "readers:\n  firmware:\n    - { reader: 1209:000d, version: 2.3, file: r.dfu }",
            "3: readers.firmware[0].version: not a firmware release; write one such as 5.16"
        ),
        (
            "readers: { firmware: [{ reader: 1209:000d, version: 2.34, file: r.dfu, requiredFrom: 1.12.2026 }] }",
            "1: readers.firmware[0].requiredFrom: not a date; write it as 2030-12-31, from 2000 to 2049"
        ),
        (
            "readers: { firmware: [{ reader: 1209:000d, version: 2.34, file: r.dfu, required: true, "
                + "requiredFrom: 2026-12-01 }] }",
            "1: readers.firmware[0].requiredFrom: it contradicts 'required'; remove one of them"
        ),
        ("readers: x", "1: readers: expected a mapping, found text"),
        ("readers: { quirk: [] }", "1: readers: unknown key 'quirk'; did you mean 'quirks'?"),
        ("readers: { allowRefusedFirmware: yes }", "1: readers.allowRefusedFirmware: 'yes' is neither true nor false"),
        ("readers: { quirks: [{ polled: true }] }", "1: readers.quirks[0]: the key 'reader' is missing"),
        (
            "readers:\n  quirks:\n    - reader: 12090010\n      polled: true",
            "3: readers.quirks[0].reader: not a USB vendor and product; write four hexadecimal digits each, such as "
                + "04e6:e001; 'cardpresent readers info' shows them"
        ),
        (
            "readers: { quirks: [{ reader: 1209:0010 }] }",
            "1: readers.quirks[0]: the row contains no settings for the reader; add one of the keys that docs/readers.md lists"
        ),
        (
            "readers: { quirks: [{ reader: 1209:0010, polld: true }] }",
            "1: readers.quirks[0]: unknown key 'polld'; did you mean 'polled'?"
        ),
        (
            "readers: { quirks: [{ reader: 1209:0010, firmware: 1.1, polled: true }] }",
            "1: readers.quirks[0].firmware: not a firmware release; write one such as 5.16, or a range such as "
                + "1.00-1.12"
        ),
        (
            "readers: { quirks: [{ reader: 1209:0010, firmware: 1.12-1.00, polled: true }] }",
            "1: readers.quirks[0].firmware: the range ends before it starts"
        ),
        (
            "readers: { quirks: [{ reader: 1209:0010, firstAnswer: 0 }] }",
            "1: readers.quirks[0].firstAnswer: '0' is not in 1...120000"
        ),
        (
            "readers: { quirks: [{ reader: 1209:0010, exchangeLevel: apdu }] }",
            "1: readers.quirks[0].exchangeLevel: unknown value 'apdu'; did you mean 'tpdu'?"
        ),
        (
            "readers: { quirks: [{ reader: 1209:0010, refusedFirmware: ' ' }] }",
            "1: readers.quirks[0].refusedFirmware: the text is blank"
        ),
    ]

    @Test(arguments: faults)
    func `an error is reported with its line and key`(yaml: String, error: String) {
        let thrown = #expect(throws: SettingsError.self) { try table(yaml) }
        #expect(thrown?.description == "till.yaml:" + error)
    }

    @Test func `random text in a row is an error with a line, or a row`() {
        var seed: UInt64 = 7
        func next(_ count: UInt64) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((seed >> 33) % count)
        }
        let keys = ["reader", "firmware", "name", "source"] + ReaderQuirk.Kind.allCases.map(\.rawValue)
        let values = [
            "1209:0010", "1.00", "1.00-1.12", "-", "0", "-1", "99999999999999999999", "true", "false", "~", "[]", "{}",
            "tpdu", "\"\\0\"", "'é'", "ffff:ffff", "0:0", ".", "1.00-", "!!int 3", "\"1209:0010\"", "0x10", "1e9",
        ]
        var taken = 0
        for _ in 0..<3_000 {
            let row = (0..<(1 + next(4))).map { _ in
                "\(keys[next(UInt64(keys.count))]): \(values[next(UInt64(values.count))])"
            }
            let text = "readers: { quirks: [{ reader: 1209:0010, \(row.joined(separator: ", ")) }] }"
            do {
                let till = try TillConfiguration(yaml: text, file: "till.yaml")
                taken += 1
                if taken < 50 {
                    #expect(try TillConfiguration(yaml: till.yaml, file: "printed.yaml") == till, "\(text)")
                }
            } catch {
                #expect((1...2).contains(error.location.line), "\(text): \(error)")
            }
        }
        #expect(taken > 20)
    }
}
