/// Transmission protocols (PC/SC part 5; the values are those of pcsclite.h).
public struct PCSCProtocols: OptionSet, Hashable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    public static let t0 = PCSCProtocols(rawValue: 1)
    public static let t1 = PCSCProtocols(rawValue: 2)
    /// Whichever the card prefers.
    public static let t0OrT1: PCSCProtocols = [.t0, .t1]
}
