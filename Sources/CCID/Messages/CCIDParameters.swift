/// The protocol data structure of a slot: what parameters it exchanges with (CCID 1.1 §6.1.7).
public enum CCIDParameters: Hashable, Sendable {
    case t0(CCIDT0Parameters)
    case t1(CCIDT1Parameters)

    /// bProtocolNum
    public var protocolNumber: UInt8 {
        switch self {
        case .t0: 0
        case .t1: 1
        }
    }

    /// abProtocolDataStructure: 5 bytes for T=0, 7 for T=1.
    public var bytes: [UInt8] {
        switch self {
        case .t0(let parameters): parameters.bytes
        case .t1(let parameters): parameters.bytes
        }
    }
}

/// abProtocolDataStructure for T=0.
public struct CCIDT0Parameters: Hashable, Sendable {
    /// bmFindexDindex: FI in the high half, DI in the low half, as in TA1.
    public var rates: UInt8
    /// bmTCCKST0: b2 set means inverse convention.
    public var convention: UInt8
    /// bGuardTimeT0: extra guard time in etu.
    public var guardTime: UInt8
    /// bWaitingIntegerT0: WI.
    public var waitingInteger: UInt8
    /// bClockStop: 0 not allowed, 1 low, 2 high, 3 either.
    public var clockStop: UInt8

    public init(
        rates: UInt8 = 0x11, convention: UInt8 = 0, guardTime: UInt8 = 0, waitingInteger: UInt8 = 10,
        clockStop: UInt8 = 0
    ) {
        (self.rates, self.convention, self.guardTime) = (rates, convention, guardTime)
        (self.waitingInteger, self.clockStop) = (waitingInteger, clockStop)
    }

    var bytes: [UInt8] { [rates, convention, guardTime, waitingInteger, clockStop] }
}

/// abProtocolDataStructure for T=1.
public struct CCIDT1Parameters: Hashable, Sendable {
    /// bmFindexDindex: FI in the high half, DI in the low half, as in TA1.
    public var rates: UInt8
    /// bmTCCKST1: 10 plus b1 for CRC, b2 for inverse convention.
    public var convention: UInt8
    /// bGuardTimeT1: extra guard time in etu.
    public var guardTime: UInt8
    /// bmWaitingIntegersT1: BWI in the high half, CWI in the low half.
    public var waitingIntegers: UInt8
    /// bClockStop: 0 not allowed, 1 low, 2 high, 3 either.
    public var clockStop: UInt8
    /// bIFSC
    public var informationFieldSize: UInt8
    /// bNadValue
    public var nodeAddress: UInt8

    public init(
        rates: UInt8 = 0x11, convention: UInt8 = 0x10, guardTime: UInt8 = 0, waitingIntegers: UInt8 = 0x4D,
        clockStop: UInt8 = 0, informationFieldSize: UInt8 = 32, nodeAddress: UInt8 = 0
    ) {
        (self.rates, self.convention, self.guardTime) = (rates, convention, guardTime)
        (self.waitingIntegers, self.clockStop) = (waitingIntegers, clockStop)
        (self.informationFieldSize, self.nodeAddress) = (informationFieldSize, nodeAddress)
    }

    var bytes: [UInt8] {
        [rates, convention, guardTime, waitingIntegers, clockStop, informationFieldSize, nodeAddress]
    }
}
