import CCID
import Simulator
import SmartCard
import Testing
import USB

/// A quirk of a row, and the simulated reader that shows it under the row's identifiers.
struct QuirkCase: Sendable, CustomTestStringConvertible {
    let rule: ReaderQuirkRule
    let quirk: ReaderQuirk

    var testDescription: String { "\(rule.usbID) \(rule.name), \(rule.firmwareText): \(quirk.kind.rawValue)" }

    /// Every quirk of every row that comes with the driver.
    static let all = ReaderQuirkTable.embedded.rules.flatMap { rule in
        rule.quirks.map { QuirkCase(rule: rule, quirk: $0) }
    }

    static func cases(_ kinds: ReaderQuirk.Kind...) -> [QuirkCase] { all.filter { kinds.contains($0.quirk.kind) } }

    /// The driver's rows, without the refusal that would hide what a reader does.
    static let rows: ReaderQuirkTable = {
        var table = ReaderQuirkTable.embedded
        table.allowsRefusedFirmware = true
        return table
    }()

    /// Which simulated reader shows a quirk.
    static func model(showing kind: ReaderQuirk.Kind, _ quirk: ReaderQuirk? = nil) -> SimulatedReaderModel {
        switch kind {
        case .refusedFirmware, .informationFieldSize: .stuckPackets
        case .startPause, .firstAnswer: .slowStart
        case .noPINPad: .falsePINPad
        case .pinMessages: .pinMessages
        case .swappedPINDigits: .pinDigits
        case .exchangeLevel:
            switch quirk {
            case .exchangeLevel(.extendedAPDU): .chaining
            case .exchangeLevel(.shortAPDU): .shortOnly
            default: .tpduOnly
            }
        case .maximumDataRate: .highRates
        case .noProtocolSelection: .noPPS
        case .noIFSDNegotiation: .noIFSD
        case .messageLength: .messageLength
        case .slotCount: .slotCount
        case .polled: .lostNotices
        case .noAbort: .noAbort
        case .oneInterfaceAtATime: .sharedFirmware
        case .vendorSpecificClass: .vendorClass
        case .noAutosuspend: .suspend
        }
    }

    /// The reader of the row, with its fault of the row's size.
    func model(change: (inout SimulatedReaderModel) -> Void = { _ in }) -> SimulatedReaderModel {
        var model = Self.model(showing: quirk.kind, quirk)
        change(&model)
        return model.disguised(
            asVendor: rule.vendorID, product: rule.productID, release: rule.firmware.upperBound.rawValue)
    }

    func bench(
        card: [UInt8]? = QuirkCard.t0, change: (inout SimulatedReaderModel) -> Void = { _ in }
    ) -> QuirkBench {
        QuirkBench(model(change: change), card: card)
    }
}
