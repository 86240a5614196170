import CCID
import Foundation
import Simulator
import Testing
import USB

/// The table itself: complete, without contradictions, and what the documentation says.
@Suite struct ReaderQuirkTableTests {
    private let rules = ReaderQuirkTable.embedded.rules

    /// Quirks that shops can give a reader and that no public source names a reader for.
    private static let unlisted: Set<ReaderQuirk.Kind> = [.messageLength, .slotCount, .noAbort]

    @Test func `every row says something, and where it is from`() {
        for rule in rules {
            #expect(!rule.source.isEmpty && !rule.name.isEmpty, "\(rule.usbID)")
            #expect(!rule.quirks.isEmpty || !rule.borne.isEmpty, "\(rule.usbID)")
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
                #expect(other.borne.isDisjoint(with: rule.borne), "\(rule.usbID)")
            }
        }
    }

    @Test func `every kind has a reader that is known for it, or is one of the few that have none`() {
        let listed = Set(rules.flatMap(\.quirks).map(\.kind))
        #expect(Set(ReaderQuirk.Kind.allCases).subtracting(listed) == Self.unlisted)
        #expect(Set(rules.flatMap(\.borne)).isSubset(of: Set(BorneFault.allCases)))
    }

    @Test func `every quirk has a simulated reader that shows it`() {
        for row in QuirkCase.all {
            let model = row.model()
            #expect(SimulatedReaderModel.named(model.name) != nil, "\(model.name)")
            #expect(model.misbehaviour != ReaderMisbehaviour())
            let device = USBDeviceDescriptor(
                vendorID: model.vendorID, productID: model.productID, release: model.release)
            #expect(row.rule.applies(to: device))
        }
        let names = (SimulatedReaderModel.all + SimulatedReaderModel.faulty).map(\.name)
        #expect(Set(names).count == names.count)
        for model in SimulatedReaderModel.faulty {
            // Honest names, and an identifier that is nobody's.
            #expect(model.name.hasPrefix("quirk-") && model.product.hasPrefix("Simulated reader"))
            #expect(model.vendorID == 0x1209)
            #expect(ReaderQuirkTable.embedded.rules(for: model.descriptors.device).isEmpty)
        }
    }

    @Test func `rows are about their firmware alone`() {
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
    func `a release is written as people write it`(text: String, value: UInt16) {
        #expect(ReaderRelease(text)?.rawValue == value)
        #expect(ReaderRelease(rawValue: value).description == text)
    }

    @Test(arguments: [
        "", ".", "5", "5.1", "5.160", "555.16", "5.16.1", " 5.16", "5,16", "g.00", "-5.16", "5.+1", "٥.16",
    ])
    func `anything else is no release`(text: String) { #expect(ReaderRelease(text) == nil) }

    @Test func `noise is a release or none, and never more`() {
        var dice = Dice(state: 44)
        for _ in 0..<20_000 {
            let text = String(decoding: dice.bytes(Int.random(in: 0...8, using: &dice)), as: UTF8.self)
            if let release = ReaderRelease(text) { #expect(ReaderRelease(release.description) == release) }
        }
    }

    @Test func `a row's firmware reads as people say it`() {
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
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "docs/readers.md"), encoding: .utf8)
    }

    @Test func `the documentation lists every row and what shows it`() throws {
        var lines = ["| reader | USB | firmware | the driver | shown by | source |", "|---|---|---|---|---|---|"]
        for rule in rules {
            var does = rule.quirks.map { "`\($0.kind.rawValue)`: \($0)" }
            if !rule.borne.isEmpty {
                does.append(
                    "bears " + BorneFault.allCases.filter(rule.borne.contains).map(\.rawValue).joined(separator: ", "))
            }
            var models: [String] = []
            for name in rule.quirks.map({ QuirkCase(rule: rule, quirk: $0).model().name })
                + BorneFaultTests.models(showing: rule.borne)
            where !models.contains(name) { models.append(name) }
            lines.append(
                "| \(rule.name) | `\(rule.usbID)` | \(rule.firmwareText) | \(does.joined(separator: "; ")) | "
                    + models.map { "`\($0)`" }.joined(separator: ", ") + " | \(rule.source) |")
        }
        let table = lines.joined(separator: "\n")
        #expect(try documentation().contains(table), "docs/readers.md must have:\n\(table)")
    }

    @Test func `the documentation lists every fault that is borne anyway`() throws {
        var lines = ["| fault | the driver | shown by | source |", "|---|---|---|---|"]
        for fault in BorneFault.allCases {
            let models = BorneFaultTests.models(showing: [fault]).map { "`\($0)`" }
            let bytes = fault == .lateClassDescriptor ? "descriptor bytes" : "bytes on the wire"
            lines.append(
                "| `\(fault.rawValue)` | \(fault.answer) | "
                    + (models.isEmpty ? bytes : models.joined(separator: ", ")) + " | \(fault.source) |")
        }
        let table = lines.joined(separator: "\n")
        #expect(try documentation().contains(table), "docs/readers.md must have:\n\(table)")
    }
}
