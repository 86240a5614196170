/// The transmission protocols of a reader, dwProtocols (CCID 1.1 §5.1).
public struct CCIDProtocols: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let t0 = CCIDProtocols(rawValue: 1)
    public static let t1 = CCIDProtocols(rawValue: 2)
}

/// The supply voltages of a reader, bVoltageSupport (CCID 1.1 §5.1).
public struct CCIDVoltages: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let volts5 = CCIDVoltages(rawValue: 1)
    public static let volts3 = CCIDVoltages(rawValue: 2)
    public static let volts1_8 = CCIDVoltages(rawValue: 4)
}

/// What a reader's PIN pad does, bPINSupport (CCID 1.1 §5.1). Readers claim it without having one.
public struct CCIDPINSupport: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let verification = CCIDPINSupport(rawValue: 1)
    public static let modification = CCIDPINSupport(rawValue: 2)
}
