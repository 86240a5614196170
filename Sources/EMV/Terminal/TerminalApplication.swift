/// An application that the terminal supports, with the payment system's settings for it.
public struct TerminalApplication: Hashable, Sendable {
    /// 5...16 bytes
    public let aid: [UInt8]
    /// Whether the card's DF name may be longer than the AID (application selection indicator).
    public let allowsPartialSelection: Bool
    /// The versions of the application that the terminal supports (9F09), at least one.
    public let versions: [UInt16]
    /// Terminal action codes
    public let actionCodes: ActionCodes
    /// Tag 9F1B, in minor units. Amounts from here on go online; 0 sends everything online.
    public let floorLimit: UInt32
    public let randomSelection: RandomSelection
    /// Whether the card's consecutive offline limits are checked when the card has them.
    public let checksVelocity: Bool
    /// Used for dynamic data authentication when the card has none (9F49).
    public let defaultDDOL: DataObjectList
    /// Used for the TC hash when the card has none (97); nil when the terminal has none either.
    public let defaultTDOL: DataObjectList?

    /// The data object lists are given encoded. The default DDOL that stands in if none is given asks for an
    /// unpredictable number of four bytes.
    ///
    /// - Throws: ``TerminalConfigurationError``
    public init(
        aid: [UInt8], allowsPartialSelection: Bool = true, versions: [UInt16], actionCodes: ActionCodes,
        floorLimit: UInt32 = 0, randomSelection: RandomSelection = .never, checksVelocity: Bool = true,
        defaultDDOL: [UInt8] = [0x9F, 0x37, 0x04], defaultTDOL: [UInt8]? = nil
    ) throws(TerminalConfigurationError) {
        guard (5...16).contains(aid.count) else { throw .aidLength(aid.count) }
        guard !versions.isEmpty else { throw .noVersion(aid: aid) }
        do throws(DataObjectListError) {
            self.defaultDDOL = try DataObjectList(defaultDDOL)
            self.defaultTDOL = if let defaultTDOL { try DataObjectList(defaultTDOL) } else { nil }
        } catch {
            throw .dataObjectList(error)
        }
        (self.aid, self.allowsPartialSelection, self.versions) = (aid, allowsPartialSelection, versions)
        (self.actionCodes, self.floorLimit) = (actionCodes, floorLimit)
        (self.randomSelection, self.checksVelocity) = (randomSelection, checksVelocity)
    }

    /// Whether the terminal's application goes with the card's DF name (EMV Book 1 §12.3.1).
    func matches(dfName: [UInt8]) -> Bool {
        dfName == aid || allowsPartialSelection && dfName.starts(with: aid)
    }
}
