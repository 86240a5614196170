/// A cryptogram that a simulated card has made: the card's own word on what it agreed to.
public struct MadeCryptogram: Hashable, Sendable {
    /// What the card decided (EMV Book 3 table 14).
    public enum Kind: String, Hashable, Sendable {
        /// AAC
        case declined
        /// TC
        case approved
        /// ARQC
        case asksIssuer
    }

    public var kind: Kind
    /// The card's counter (tag 9F36), one for each transaction of an application.
    public var counter: UInt16
    /// What the terminal asked for (tag 9F02), in minor units; nil when it did not say.
    public var minorUnits: Int64?
    /// The last four digits of the application's PAN.
    public var lastFour: String

    public init(kind: Kind, counter: UInt16, minorUnits: Int64?, lastFour: String) {
        (self.kind, self.counter, self.minorUnits, self.lastFour) = (kind, counter, minorUnits, lastFour)
    }
}

extension MadeCryptogram.Kind {
    init(_ answer: CardVerificationResults.Answer) {
        self =
            switch answer {
            case .aac: .declined
            case .tc: .approved
            case .arqc: .asksIssuer
            }
    }
}
