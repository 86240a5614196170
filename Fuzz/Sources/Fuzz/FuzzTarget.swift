internal import EMV
internal import SmartCard

/// A parser of outside bytes.
enum FuzzTarget: String, CaseIterable {
    case tlv, dol, atr

    // Set once, before libFuzzer starts, and read by the one thread that it runs.
    nonisolated(unsafe) static var current = FuzzTarget.tlv

    func run(_ bytes: [UInt8]) {
        switch self {
        case .tlv: _ = try? BERTLV.parse(bytes)
        case .dol: _ = try? DataObjectList(bytes)
        case .atr: _ = try? ATR(bytes)
        }
    }
}
