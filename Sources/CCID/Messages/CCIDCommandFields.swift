/// bPowerSelect: the voltage to power a card with (CCID 1.1 §6.1.1).
public enum CCIDPowerSelection: UInt8, Hashable, Sendable {
    case automatic = 0
    case volts5 = 1
    case volts3 = 2
    case volts1_8 = 3
}

/// wLevelParameter: the place of a message in an APDU at extended APDU level (CCID 1.1 §6.1.4).
public enum CCIDLevelParameter: UInt16, Hashable, Sendable {
    /// The command begins and ends here; 0 also at every other level.
    case whole = 0x00
    /// The command begins here and continues.
    case begins = 0x01
    /// The command ends here.
    case ends = 0x02
    /// Neither its beginning nor its end.
    case continues = 0x03
    /// No data: the next part of the answer is wanted.
    case awaitsMore = 0x10
}

/// bChainParameter: the place of a message in an answer at extended APDU level (CCID 1.1 §6.2.1).
public enum CCIDChainParameter: UInt8, Hashable, Sendable {
    /// The answer begins and ends here.
    case whole = 0x00
    /// The answer begins here and continues.
    case begins = 0x01
    /// The answer ends here.
    case ends = 0x02
    /// Neither its beginning nor its end.
    case continues = 0x03
    /// No data: the next part of the command is wanted.
    case awaitsMore = 0x10
}
