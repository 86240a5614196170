import ContactlessKernel8
import Determinism
import EMV
import EntryPoint
import Money
import Settings
import Testing

@testable import Hardware
@testable import TillConfiguration

/// The section `terminal.contactless`, and the data of the till in kernel 8.
struct ContactlessSettingsTests {
    private static func read(_ text: String) throws -> TillConfiguration {
        try TillConfiguration(yaml: text, file: "till.yaml")
    }

    private static func failure(_ text: String) -> String? {
        do throws(SettingsError) {
            _ = try TillConfiguration(yaml: text, file: "till.yaml")
            return nil
        } catch {
            return error.description
        }
    }

    private func combinations(_ till: TillConfiguration, _ code: String = "USD") throws -> [ReaderCombination]? {
        let currency = try Currency(code: code)
        let terminal = till.contactless(
            time: SystemTimeSource(), random: SeededRandomSource(seed: 1), terminal: { till.terminal(for: $0) })
        return terminal.configuration(currency, till.terminal(for: currency))?.combinations[.goodsOrServices]
    }

    private func configuration(_ till: TillConfiguration, _ code: String = "USD") throws -> ReaderCombination {
        try #require(try combinations(till, code)?.first { $0.aid == [0xA0, 0, 0, 0, 0x04, 0x10, 0x10] })
    }

    @Test func `limits are read, and written again`() throws {
        let till = try Self.read(
            """
            terminal:
              contactless:
                transactionLimit: { USD: 250.00, JPY: 30000 }
                cvmLimit: 0
                floorLimit: 10.00
                statusCheck: true
                zeroAmount: false
            """)
        let combination = try configuration(till)
        #expect(combination.limits.transaction?.minorUnits == 25_000 && combination.limits.floor?.minorUnits == 1000)
        #expect(combination.limits.cvmRequired?.minorUnits == 0)
        #expect(combination.checksStatus && !combination.allowsZeroAmount)
        #expect(try Self.read(till.yaml) == till)
        #expect(try Self.read(TillConfiguration.standard.yaml).contactlessPolicy == ContactlessPolicy())
        // Another currency has its own limits, or none; without its transaction limit there are no taps.
        let yen = try configuration(till, "JPY").limits
        #expect(yen.transaction?.minorUnits == 30_000 && yen.floor?.minorUnits == 0)
        #expect(yen.cvmRequired?.minorUnits == 50)
        #expect(try combinations(till, "EUR") == nil)
    }

    @Test func `without the section every tap goes online, and verifies from fifty units on`() throws {
        let combination = try configuration(.standard)
        #expect(combination.limits.transaction == nil && combination.limits.floor?.minorUnits == 0)
        #expect(combination.limits.cvmRequired?.minorUnits == 5000)
        #expect(!combination.checksStatus && combination.allowsZeroAmount)
        #expect(combination.kernelData[Kernel8Tag.floorLimit] == [0, 0, 0, 0, 0, 0])
    }

    // EMV Book C-8 state 20: the kernel verifies above 9F820E; Book B §3.1.1.8: Entry Point from its limit on
    @Test(arguments: [("50.00", [0, 0, 0, 0, 0x49, 0x99]), ("0.01", [0, 0, 0, 0, 0, 0]), ("0", [0, 0, 0, 0, 0, 0])])
    func `kernel and Entry Point verify from the same amount on`(limit: String, value: [UInt8]) throws {
        let till = try Self.read("terminal: { contactless: { cvmLimit: \(limit) } }")
        #expect(try configuration(till).kernelData[Kernel8Tag.cvmRequiredLimit] == value)
    }

    @Test func `a wrong limit is an error with its line and key`() {
        for (text, expected) in [
            ("cvmLimit: 12.345", "till.yaml:3: terminal.contactless.cvmLimit: '12.345' has too many decimals"),
            ("floorLimit: -1", "till.yaml:3: terminal.contactless.floorLimit"),
            ("transactionLimit: 10000000000.00", "till.yaml:3: terminal.contactless.transactionLimit: '1000000000"),
            ("cvmlimit: 1", "unknown key 'cvmlimit'"), ("statusCheck: perhaps", "terminal.contactless.statusCheck"),
            ("cvmLimit: { EUR: 50 }", "no amount for the till's own currency"),
            ("cvmLimit: { USD: 50, XXZ: 1 }", "unknown currency"),
        ] {
            let found = Self.failure("terminal:\n  contactless:\n    \(text)\n")
            #expect(found?.contains(expected) == true, "\(found ?? "taken")")
        }
    }

    // EMV Book C-8 annex A: 9F8206 to 9F8208, and the action codes
    @Test func `kernel 8 has the capabilities and action codes of the till`() throws {
        let standard = try configuration(.standard).kernelData
        #expect(standard[Kernel8Tag.cardDataInputCapability] == [0x20])
        #expect(standard[Kernel8Tag.cvmCapabilityRequired] == [0x64])
        #expect(standard[Kernel8Tag.cvmCapabilityNotRequired] == [0x08])
        let till = try Self.read(
            """
            terminal: { type: 23, capabilities: [contactChip, signature] }
            applications:
              - { aid: A0000000041010, actionCodes: { denial: 0040000000, online: 0000000000, default: 0020000000 } }
            """)
        let data = try configuration(till).kernelData
        #expect(data[Kernel8Tag.cvmCapabilityRequired] == [0x24])
        #expect(data[Kernel8Tag.cvmCapabilityNotRequired] == [0x24])
        #expect(data[Kernel8Tag.actionCodeDenial] == [0x84, 0x60, 0x84, 0x80, 0x0C])
    }
}
