import CCID
import Foundation
import Simulator
import Testing
import USB

/// The table: complete, consistent, and equal to the documentation.
@Suite struct ReaderQuirkTableTests {
    private let rules = ReaderQuirkTable.embedded.rules

    /// Quirks that shops can give a reader and that no public source names a reader for.
    private static let unlisted: Set<ReaderQuirk.Kind> = [.messageLength, .slotCount, .noAbort]

    @Test func `every row has an effect and a source`() {
        for rule in rules {
            #expect(!rule.source.isEmpty && !rule.name.isEmpty, "\(rule.usbID)")
            #expect(!rule.quirks.isEmpty || !rule.tolerated.isEmpty, "\(rule.usbID)")
            #expect(rule.lifted.isEmpty)
            #expect(Set(rule.quirks.map(\.kind)).count == rule.quirks.count, "\(rule.usbID)")
        }
    }

    @Test func `no two rows contradict each other`() {
        for (index, rule) in rules.enumerated() {
            for other in rules[(index + 1)...]
            where other.usbID == rule.usbID && other.firmware.overlaps(rule.firmware) {
                for quirk in rule.quirks {
                    let same = other.quirks.filter { $0.kind == quirk.kind }
                    #expect(same.allSatisfy { $0 == quirk }, "\(rule.usbID) \(quirk.kind) twice")
                    #expect(same.isEmpty, "\(rule.usbID) \(quirk.kind) is there twice")
                }
                #expect(other.tolerated.isDisjoint(with: rule.tolerated), "\(rule.usbID)")
            }
        }
    }

    @Test func `every kind has a known reader, or is one of the few without`() {
        let listed = Set(rules.flatMap(\.quirks).map(\.kind))
        #expect(Set(ReaderQuirk.Kind.allCases).subtracting(listed) == Self.unlisted)
        #expect(Set(rules.flatMap(\.tolerated)).isSubset(of: Set(ToleratedFault.allCases)))
    }

    @Test func `every quirk has a simulated reader`() {
        for row in QuirkCase.all {
            let model = row.model()
            #expect(SimulatedReaderModel.named(model.name) != nil, "\(model.name)")
            #expect(model.misbehavior != ReaderMisbehavior())
            let device = USBDeviceDescriptor(
                vendorID: model.vendorID, productID: model.productID, release: model.release)
            #expect(row.rule.applies(to: device))
        }
        let names = (SimulatedReaderModel.all + SimulatedReaderModel.faulty).map(\.name)
        #expect(Set(names).count == names.count)
        for model in SimulatedReaderModel.faulty {
            // Descriptive names, and an unassigned identifier.
            #expect(model.name.hasPrefix("quirk-") && model.product.hasPrefix("Simulated reader"))
            #expect(model.vendorID == 0x1209)
            #expect(ReaderQuirkTable.embedded.rules(for: model.descriptors.device).isEmpty)
        }
    }

    @Test func `rows apply only to their firmware`() {
        func quirks(_ release: UInt16) -> ReaderQuirks {
            ReaderQuirkTable.embedded.quirks(
                of: USBDeviceDescriptor(vendorID: 0x04E6, productID: 0xE001, release: release))
        }
        #expect(quirks(0x0515).contains(.refusedFirmware))
        #expect(quirks(0x0515).contains(.informationFieldSize))
        #expect(quirks(0x0516) == .none)
        var insisting = ReaderQuirkTable.embedded
        insisting.allowsRefusedFirmware = true
        let old = USBDeviceDescriptor(vendorID: 0x04E6, productID: 0xE001, release: 0x0515)
        #expect(insisting.quirks(of: old).all == [.informationFieldSize(48)])
        #expect(ReaderQuirkTable.none.quirks(of: old) == .none)
    }

    @Test(
        arguments: [
            ("5.16", 0x0516), ("0.00", 0), ("ff.ff", 0xFFFF), ("1.0a", 0x010A), ("50.00", 0x5000),
        ] as [(String, UInt16)])
    func `a release is parsed in its usual notation`(text: String, value: UInt16) {
        #expect(ReaderRelease(text)?.rawValue == value)
        #expect(ReaderRelease(rawValue: value).description == text)
    }

    @Test(arguments: [
        "", ".", "5", "5.1", "5.160", "555.16", "5.16.1", " 5.16", "5,16", "g.00", "-5.16", "5.+1", "٥.16",
    ])
    func `anything else is not a release`(text: String) { #expect(ReaderRelease(text) == nil) }

    @Test func `random text is a release or none, and never traps`() {
        var dice = Dice(state: 44)
        for _ in 0..<20_000 {
            let text = String(decoding: dice.bytes(Int.random(in: 0...8, using: &dice)), as: UTF8.self)
            if let release = ReaderRelease(text) { #expect(ReaderRelease(release.description) == release) }
        }
    }

    @Test func `a row's firmware range is described in words`() {
        func text(_ first: UInt16, _ last: UInt16) -> String {
            ReaderQuirkRule(
                "", vendorID: 0, productID: 0,
                firmware: ReaderRelease(rawValue: first)...ReaderRelease(rawValue: last), source: ""
            ).firmwareText
        }
        #expect(text(0, 0xFFFF) == "all")
        #expect(text(0, 0x0515) == "below 5.16")
        #expect(text(0x0100, 0x0100) == "1.00")
        #expect(text(0x0012, 0x0013) == "0.12 to 0.13")
        #expect(text(0x0100, 0xFFFF) == "from 1.00")
        #expect(text(0, 0) == "0.00")
    }

    // MARK: Documentation

    private func documentation() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "docs/readers.md"), encoding: .utf8)
    }

    @Test func `the documentation lists every row and its simulated reader`() throws {
        var lines = ["| reader | USB | firmware | the driver | shown by | source |", "|---|---|---|---|---|---|"]
        for rule in rules {
            var does = rule.quirks.map { "`\($0.kind.rawValue)`: \($0)" }
            if !rule.tolerated.isEmpty {
                does.append(
                    "tolerates "
                        + ToleratedFault.allCases.filter(rule.tolerated.contains).map(\.rawValue).joined(
                            separator: ", "))
            }
            var models: [String] = []
            for name in rule.quirks.map({ QuirkCase(rule: rule, quirk: $0).model().name })
                + ToleratedFaultTests.models(showing: rule.tolerated)
            where !models.contains(name) { models.append(name) }
            lines.append(
                "| \(rule.name) | `\(rule.usbID)` | \(rule.firmwareText) | \(does.joined(separator: "; ")) | "
                    + models.map { "`\($0)`" }.joined(separator: ", ") + " | \(rule.source) |")
        }
        let table = lines.joined(separator: "\n")
        #expect(try documentation().contains(table), "docs/readers.md must have:\n\(table)")
    }

    @Test func `the documentation lists every tolerated fault`() throws {
        var lines = ["| fault | the driver | shown by | source |", "|---|---|---|---|"]
        for fault in ToleratedFault.allCases {
            let models = ToleratedFaultTests.models(showing: [fault]).map { "`\($0)`" }
            let bytes = fault == .lateClassDescriptor ? "descriptor bytes" : "bytes on the wire"
            lines.append(
                "| `\(fault.rawValue)` | \(fault.answer) | "
                    + (models.isEmpty ? bytes : models.joined(separator: ", ")) + " | \(fault.source) |")
        }
        let table = lines.joined(separator: "\n")
        #expect(try documentation().contains(table), "docs/readers.md must have:\n\(table)")
    }
}
